#include "workloads/gpu_input/hardware_share.h"

#include <algorithm>
#include <cmath>

namespace traceml {

namespace {

// Measured on an H200 with photographs of 52 KB (DECISIONS.md): per second, what an engine decodes,
// and what a worker decodes with CUDA.
constexpr double kPerEngine = 4500;
constexpr double kPerWorker = 1400;

constexpr int kMostUnitRows = 32;

}  // namespace

int hardware_rows(std::int64_t before, int rows, double share) {
  const auto upto = [share](std::int64_t count) {
    return static_cast<std::int64_t>(std::floor(share * static_cast<double>(count) + 0.5));
  };
  return static_cast<int>(upto(before + rows) - upto(before));
}

double automatic_share(int engines, int cores, int workers) {
  const double by_engines = engines * cores * kPerEngine;
  const double by_workers = workers * kPerWorker;
  if (by_engines == 0) return 0;
  if (by_workers <= by_engines) return 1;  // mixing slowed both down
  return std::round(100.0 * by_engines / (by_engines + by_workers)) / 100.0;
}

int unit_rows(int batch_size) {
  const int units = (batch_size + kMostUnitRows - 1) / kMostUnitRows;
  return (batch_size + units - 1) / units;
}

}  // namespace traceml
