#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/plan/config.h"
#include "workloads/input/dataset.h"
#include "workloads/input/file_reader.h"
#include "workloads/input/jpeg_decoder.h"
#include "workloads/input/random.h"
#include "workloads/input/resize.h"
#include "workloads/input/stage_times.h"

namespace traceml {

struct SampleFacts {
  bool grey = false;
  bool scaled = false;  // decoded smaller than it is
};

// From a file to a row of a batch: read, decode the random crop, resize, flip, and for float32
// normalise as (x / 255 - mean) / std with ImageNet's mean and standard deviation. One thread at a
// time; keeps its buffers.
class SamplePipeline {
 public:
  // `size`: pixels, square.
  SamplePipeline(std::shared_ptr<const Dataset> dataset, int size, SampleType type,
                 Cache cache = Cache::kWarm, ScaledDecode scaled = ScaledDecode::kOff);

  // Writes size * size * 3 values of the sample type. Throws ImageError (a bad file) or RunError (a
  // file that cannot be read). `watch` is told of the end of each stage.
  SampleFacts make(std::int64_t sample, Random random, void* row, StageWatch& watch);

 private:
  std::shared_ptr<const Dataset> dataset_;
  ImageSize size_;
  SampleType type_;
  ScaledDecode scaled_;
  FileReader reader_;
  JpegDecoder decoder_;
  Resizer resizer_;
  std::vector<std::uint8_t> bytes_;  // float32 only
};

std::size_t bytes_per_sample(int size, SampleType type);

}  // namespace traceml
