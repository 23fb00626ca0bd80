#include "workloads/input/resize_kernels.h"

namespace traceml {

KernelChoice runnable_kernels() {
  if (__builtin_cpu_supports("avx2")) return {{&scalar_kernels(), &avx2_kernels()}, 2};
  return {{&scalar_kernels(), nullptr}, 1};
}

}  // namespace traceml
