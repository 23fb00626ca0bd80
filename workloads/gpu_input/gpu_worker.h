#pragma once

#include <memory>

#include "workloads/gpu_input/crop_resize.h"
#include "workloads/gpu_input/cuda_decoder.h"
#include "workloads/gpu_input/hardware_batch.h"
#include "workloads/gpu_input/host_decoder.h"
#include "workloads/input/dataset.h"
#include "workloads/input/file_reader.h"
#include "workloads/input/random.h"
#include "workloads/input/stage_times.h"

namespace traceml {

enum class DecodedBy { kHardware, kCuda, kHost };

struct GpuSampleFacts {
  bool grey = false;
  DecodedBy by = DecodedBy::kCuda;
};

// Decodes the crops of files on one stream, or hands them to the engines. One thread at a time; the
// session's GPU is current.
class GpuWorker {
 public:
  // `rows`: of files whose crops are in use at once. Where `stream` is null it has its own.
  GpuWorker(const std::shared_ptr<const NvjpegSession>& session,
            std::shared_ptr<const Dataset> dataset, Cache cache, int rows,
            cudaStream_t stream = nullptr);

  // The pixels of earlier crops will have been used by what lies in the stream.
  void begin() { pixels_.rewind(); }

  // Reads a sample, and puts its crop into the mini-batch of the engines where there is one and
  // they can decode it, else into `crops`, decoded on stream(). `image`: the row that it is for.
  // Throws ImageError (a bad file) or RunError (a file that cannot be read).
  GpuSampleFacts make(std::int64_t sample, Random random, CropImage image, HardwareBatch* engines,
                      CropResizeRequest* crops, StageWatch& watch);

  // The same of a file that has been read.
  GpuSampleFacts decode(std::span<const std::uint8_t> file, Random random, CropImage image,
                        HardwareBatch* engines, CropResizeRequest* crops);

  cudaStream_t stream() const { return stream_; }

 private:
  std::shared_ptr<const Dataset> dataset_;
  GpuStream own_;
  cudaStream_t stream_;
  FileReader reader_;
  HostDecoder host_;
  CudaJpegDecoder cuda_;
  GpuArena pixels_;
};

}  // namespace traceml
