#include "tests/workloads/input/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

thread_local std::int64_t allocations = 0;
std::atomic<std::int64_t> allocations_of_all = 0;

void count() {
  ++allocations;
  allocations_of_all.fetch_add(1, std::memory_order_relaxed);
}

void* counted(std::size_t size) {
  count();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

namespace traceml {

std::int64_t allocations_of_this_thread() {
  return allocations;
}

std::int64_t allocations_of_this_process() {
  return allocations_of_all;
}

}  // namespace traceml

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
// Sanitizers have their own of these; memory of theirs must not reach free() below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  count();
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  count();
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
