#include "workloads/gpu_input/nvjpeg_library.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace traceml {

namespace {

// By its own name, as the loader's paths or the wheel beside libtorch have it; then the toolkit's.
constexpr std::array kPlaces = {"libnvjpeg.so.13", "/usr/local/cuda/lib64/libnvjpeg.so.13"};

constexpr std::array kStatusNames = {"success",
                                     "not initialized",
                                     "invalid parameter",
                                     "bad JPEG",
                                     "JPEG not supported",
                                     "allocator failure",
                                     "execution failed",
                                     "architecture mismatch",
                                     "internal error",
                                     "implementation not supported",
                                     "incomplete bitstream"};

}  // namespace

std::shared_ptr<const NvjpegLibrary> NvjpegLibrary::open(std::string& why_not) {
  void* library = nullptr;
  std::string path;
  for (const char* place : kPlaces) {
    path = place;
    library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    why_not =
        "nvJPEG's libnvjpeg.so.13 cannot be loaded; install it with the CUDA 13 toolkit and name "
        "its folder in LD_LIBRARY_PATH";
    return nullptr;
  }
  std::shared_ptr<NvjpegLibrary> made(new NvjpegLibrary(library, path));
  if (const char* missing = made->find_all()) {
    why_not = fmt::format("{} is too old: it has no {}; install nvJPEG of a CUDA 13 toolkit", path,
                          missing);
    return nullptr;
  }
  return made;
}

const char* NvjpegLibrary::find_all() {
  const char* missing = nullptr;
  const auto find = [&]<class Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library_.get(), name));
    if (function == nullptr && missing == nullptr) missing = name;
  };
  find(get_property, "nvjpegGetProperty");
  find(create, "nvjpegCreateEx");
  find(create_with, "nvjpegCreateExV2");
  find(destroy, "nvjpegDestroy");
  find(hardware_info, "nvjpegGetHardwareDecoderInfo");
  find(state_create, "nvjpegJpegStateCreate");
  find(state_destroy, "nvjpegJpegStateDestroy");
  find(stream_create, "nvjpegJpegStreamCreate");
  find(stream_destroy, "nvjpegJpegStreamDestroy");
  find(params_create, "nvjpegDecodeParamsCreate");
  find(params_destroy, "nvjpegDecodeParamsDestroy");
  find(decoder_create, "nvjpegDecoderCreate");
  find(decoder_destroy, "nvjpegDecoderDestroy");
  find(decoder_state_create, "nvjpegDecoderStateCreate");
  find(pinned_create, "nvjpegBufferPinnedCreate");
  find(pinned_destroy, "nvjpegBufferPinnedDestroy");
  find(pinned_resize, "nvjpegBufferPinnedResize");
  find(device_resize, "nvjpegBufferDeviceResize");
  find(device_create, "nvjpegBufferDeviceCreate");
  find(device_destroy, "nvjpegBufferDeviceDestroy");
  find(params_output_format, "nvjpegDecodeParamsSetOutputFormat");
  find(params_roi, "nvjpegDecodeParamsSetROI");
  find(batched_initialize, "nvjpegDecodeBatchedInitialize");
  find(batched_preallocate, "nvjpegDecodeBatchedPreAllocate");
  find(batched_supported, "nvjpegDecodeBatchedSupportedEx");
  find(batched_decode, "nvjpegDecodeBatchedEx");
  find(subsampling, "nvjpegJpegStreamGetChromaSubsampling");
  find(parse_header, "nvjpegJpegStreamParseHeader");
  find(parse, "nvjpegJpegStreamParse");
  find(attach_pinned, "nvjpegStateAttachPinnedBuffer");
  find(attach_device, "nvjpegStateAttachDeviceBuffer");
  find(decode_host, "nvjpegDecodeJpegHost");
  find(transfer, "nvjpegDecodeJpegTransferToDevice");
  find(decode_device, "nvjpegDecodeJpegDevice");
  return missing;
}

std::string NvjpegLibrary::version() const {
  std::array<int, 3> parts{};
  for (int i = 0; i < 3; ++i) {
    if (get_property(i, &parts[static_cast<std::size_t>(i)]) != kSuccess) return "unknown";
  }
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

void check_nvjpeg(NvjpegLibrary::Status status, std::source_location where) {
  if (status == NvjpegLibrary::kSuccess) return;
  const auto index = static_cast<std::size_t>(status);
  throw RunError(fmt::format("nvJPEG: {} (status {}) in {}, line {}",
                             index < kStatusNames.size() ? kStatusNames[index] : "unknown error",
                             status, where.function_name(), where.line()));
}

}  // namespace traceml
