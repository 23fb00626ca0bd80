#include "workloads/input/loader_threads.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "harness/core/error.h"

namespace traceml {

void LoaderThreads::start(int count, const LoaderCores& cores, std::function<void(int)> work) {
  if (count == 0) return;
  work_ = std::move(work);
  try {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { work_(i); });
    placement_ = place_loader_threads(threads_, cores);
  } catch (const std::system_error& error) {
    end();
    throw RunError(fmt::format("cannot start {} input workers: {}", count, error.what()));
  } catch (const RunError&) {
    end();
    throw;
  }
}

void LoaderThreads::end() {
  ring_.close();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace traceml
