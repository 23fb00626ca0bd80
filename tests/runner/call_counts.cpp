#include "tests/runner/call_counts.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <new>

namespace traceml {

CallCounts& call_counts() {
  thread_local CallCounts counts;
  return counts;
}

}  // namespace traceml

void* operator new(std::size_t size) {
  if (traceml::call_counts().on) ++traceml::call_counts().allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

// Sanitizers have their own of these; memory of theirs must not reach free() below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (traceml::call_counts().on) ++traceml::call_counts().allocations;
  return std::malloc(size == 0 ? 1 : size);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t*);
  static const auto real = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  if (traceml::call_counts().on) ++traceml::call_counts().locks;
  return real(mutex);
}
