#pragma once

#include <memory>
#include <optional>
#include <string>

#include "workloads/gpu_input/nvjpeg_library.h"

namespace traceml {

// Null where the current GPU does not have this back-end. Allocators outlive the handle; null:
// nvJPEG's own.
NvjpegHandle create_nvjpeg(const NvjpegLibrary& library, int backend, NvjpegAllocator* device,
                           NvjpegAllocator* pinned);

// nvJPEG on the current GPU, shared by all threads.
class NvjpegSession {
 public:
  // Throws UsageError with the sentence why there is none.
  static std::shared_ptr<const NvjpegSession> open();
  ~NvjpegSession();
  NvjpegSession(const NvjpegSession&) = delete;
  NvjpegSession& operator=(const NvjpegSession&) = delete;

  const NvjpegLibrary& library() const { return *library_; }
  NvjpegHandle software() const { return software_; }

  int engines() const { return engines_; }  // 0: none
  int cores_per_engine() const { return cores_per_engine_; }

  // "nvJPEG 13.0.1, 7 engines".
  std::string facts() const;

 private:
  explicit NvjpegSession(std::shared_ptr<const NvjpegLibrary> library)
      : library_(std::move(library)) {}

  std::shared_ptr<const NvjpegLibrary> library_;
  NvjpegHandle software_ = nullptr;
  int engines_ = 0;
  int cores_per_engine_ = 0;
};

}  // namespace traceml
