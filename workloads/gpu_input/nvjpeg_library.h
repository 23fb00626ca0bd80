#pragma once
// nvJPEG, opened at run time: a toolkit brings it, PyTorch does not, and a binary must start
// without it. The functions in use are declared here, after nvjpeg.h of version 13.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <memory>
#include <source_location>
#include <string>

namespace traceml {

using NvjpegHandle = struct NvjpegHandleOpaque*;    // nvjpegHandle_t
using NvjpegState = struct NvjpegStateOpaque*;      // nvjpegJpegState_t
using NvjpegStream = struct NvjpegStreamOpaque*;    // nvjpegJpegStream_t: a parsed file
using NvjpegParams = struct NvjpegParamsOpaque*;    // nvjpegDecodeParams_t
using NvjpegDecoder = struct NvjpegDecoderOpaque*;  // nvjpegJpegDecoder_t
using NvjpegPinned = struct NvjpegPinnedOpaque*;    // nvjpegBufferPinned_t
using NvjpegDevice = struct NvjpegDeviceOpaque*;    // nvjpegBufferDevice_t

struct NvjpegImage {  // nvjpegImage_t
  std::array<unsigned char*, 4> channel;
  std::array<std::size_t, 4> pitch;  // bytes
};

// nvjpegDevAllocatorV2_t and nvjpegPinnedAllocatorV2_t.
struct NvjpegAllocator {
  int (*allocate)(void* context, void** memory, std::size_t bytes, cudaStream_t);
  int (*release)(void* context, void* memory, std::size_t bytes, cudaStream_t);
  void* context;
};

class NvjpegLibrary {
 public:
  // nullptr: it is not there or lacks a function; `why_not` says so in a sentence.
  static std::shared_ptr<const NvjpegLibrary> open(std::string& why_not);
  NvjpegLibrary(const NvjpegLibrary&) = delete;
  NvjpegLibrary& operator=(const NvjpegLibrary&) = delete;

  using Status = int;
  static constexpr Status kSuccess = 0;
  // nvjpegBackend_t
  static constexpr int kHybrid = 1;  // Huffman on the host, the rest in CUDA
  static constexpr int kHardware = 3;
  static constexpr int kRgbInterleaved = 5;  // nvjpegOutputFormat_t
  // nvjpegChromaSubsampling_t
  static constexpr int kSubsampling444 = 0;
  static constexpr int kSubsampling420 = 2;
  static constexpr unsigned kFlags = 1U << 5U;  // chroma as libjpeg widens it

  std::string version() const;  // "13.0.1"
  const std::string& path() const { return path_; }

  Status (*get_property)(int type, int* value) = nullptr;
  // nvJPEG allocates by itself where the allocators are null; the second one wants its own.
  Status (*create)(int backend, void* device_allocator, void* pinned_allocator, unsigned flags,
                   NvjpegHandle* handle) = nullptr;
  Status (*create_with)(int backend, NvjpegAllocator* device, NvjpegAllocator* pinned,
                        unsigned flags, NvjpegHandle* handle) = nullptr;
  Status (*destroy)(NvjpegHandle) = nullptr;
  Status (*hardware_info)(NvjpegHandle, unsigned* engines, unsigned* cores_per_engine) = nullptr;

  Status (*state_create)(NvjpegHandle, NvjpegState*) = nullptr;
  Status (*state_destroy)(NvjpegState) = nullptr;
  Status (*stream_create)(NvjpegHandle, NvjpegStream*) = nullptr;
  Status (*stream_destroy)(NvjpegStream) = nullptr;
  Status (*params_create)(NvjpegHandle, NvjpegParams*) = nullptr;
  Status (*params_destroy)(NvjpegParams) = nullptr;
  Status (*decoder_create)(NvjpegHandle, int backend, NvjpegDecoder*) = nullptr;
  Status (*decoder_destroy)(NvjpegDecoder) = nullptr;
  Status (*decoder_state_create)(NvjpegHandle, NvjpegDecoder, NvjpegState*) = nullptr;
  Status (*pinned_create)(NvjpegHandle, void* allocator, NvjpegPinned*) = nullptr;
  Status (*pinned_destroy)(NvjpegPinned) = nullptr;
  Status (*pinned_resize)(NvjpegPinned, std::size_t bytes, cudaStream_t) = nullptr;
  Status (*device_create)(NvjpegHandle, void* allocator, NvjpegDevice*) = nullptr;
  Status (*device_destroy)(NvjpegDevice) = nullptr;
  Status (*device_resize)(NvjpegDevice, std::size_t bytes, cudaStream_t) = nullptr;

  Status (*params_output_format)(NvjpegParams, int format) = nullptr;
  Status (*params_roi)(NvjpegParams, int x, int y, int width, int height) = nullptr;

  // A whole mini-batch at once.
  Status (*batched_initialize)(NvjpegHandle, NvjpegState, int batch, int cpu_threads,
                               int format) = nullptr;
  Status (*batched_preallocate)(NvjpegHandle, NvjpegState, int batch, int width, int height,
                                int subsampling, int format) = nullptr;
  Status (*batched_supported)(NvjpegHandle, NvjpegStream, NvjpegParams, int* zero_if) = nullptr;
  Status (*batched_decode)(NvjpegHandle, NvjpegState, const unsigned char* const* files,
                           const std::size_t* bytes, NvjpegImage* images, NvjpegParams* params,
                           cudaStream_t) = nullptr;
  Status (*subsampling)(NvjpegStream, int* subsampling) = nullptr;
  Status (*parse_header)(NvjpegHandle, const unsigned char* file, std::size_t bytes,
                         NvjpegStream) = nullptr;

  // One image, in the order of the calls.
  Status (*parse)(NvjpegHandle, const unsigned char* file, std::size_t bytes, int save_metadata,
                  int save_stream, NvjpegStream) = nullptr;
  Status (*attach_pinned)(NvjpegState, NvjpegPinned) = nullptr;
  Status (*attach_device)(NvjpegState, NvjpegDevice) = nullptr;
  Status (*decode_host)(NvjpegHandle, NvjpegDecoder, NvjpegState, NvjpegParams,
                        NvjpegStream) = nullptr;
  Status (*transfer)(NvjpegHandle, NvjpegDecoder, NvjpegState, NvjpegStream,
                     cudaStream_t) = nullptr;
  Status (*decode_device)(NvjpegHandle, NvjpegDecoder, NvjpegState, NvjpegImage*,
                          cudaStream_t) = nullptr;

 private:
  struct Closer {
    void operator()(void* library) const noexcept { dlclose(library); }
  };
  NvjpegLibrary(void* library, std::string path) : library_(library), path_(std::move(path)) {}

  // The name of a function that is missing, or null.
  const char* find_all();

  std::unique_ptr<void, Closer> library_;
  std::string path_;
};

// Throws RunError naming the call's place unless it is kSuccess.
void check_nvjpeg(NvjpegLibrary::Status status,
                  std::source_location where = std::source_location::current());

}  // namespace traceml
