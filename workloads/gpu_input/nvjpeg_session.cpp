#include "workloads/gpu_input/nvjpeg_session.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace traceml {

NvjpegHandle create_nvjpeg(const NvjpegLibrary& library, int backend, NvjpegAllocator* device,
                           NvjpegAllocator* pinned) {
  // A back-end may know no flags.
  for (const unsigned flags : {NvjpegLibrary::kFlags, 0U}) {
    NvjpegHandle handle = nullptr;
    const NvjpegLibrary::Status status =
        device == nullptr ? library.create(backend, nullptr, nullptr, flags, &handle)
                          : library.create_with(backend, device, pinned, flags, &handle);
    if (status == NvjpegLibrary::kSuccess) return handle;
  }
  return nullptr;
}

std::shared_ptr<const NvjpegSession> NvjpegSession::open() {
  std::string why_not;
  std::shared_ptr<const NvjpegLibrary> library = NvjpegLibrary::open(why_not);
  if (!library) throw UsageError("decoding on a GPU needs nvJPEG: " + why_not);
  std::shared_ptr<NvjpegSession> made(new NvjpegSession(library));
  made->software_ = create_nvjpeg(*library, NvjpegLibrary::kHybrid, nullptr, nullptr);
  if (made->software_ == nullptr) {
    throw UsageError("decoding on a GPU needs nvJPEG, and " + library->path() +
                     " does not start on this one");
  }
  const NvjpegHandle hardware = create_nvjpeg(*library, NvjpegLibrary::kHardware, nullptr, nullptr);
  if (hardware == nullptr) return made;
  unsigned engines = 0;
  unsigned cores = 0;
  const NvjpegLibrary::Status status = library->hardware_info(hardware, &engines, &cores);
  library->destroy(hardware);
  check_nvjpeg(status);
  made->engines_ = static_cast<int>(engines);
  made->cores_per_engine_ = static_cast<int>(cores);
  return made;
}

NvjpegSession::~NvjpegSession() {
  if (software_ != nullptr) library_->destroy(software_);
}

std::string NvjpegSession::facts() const {
  std::string engines = "no engines";
  if (engines_ > 0) {
    engines = fmt::format("{} engine{} of {} core{}", engines_, engines_ == 1 ? "" : "s",
                          cores_per_engine_, cores_per_engine_ == 1 ? "" : "s");
  }
  return fmt::format("nvJPEG {}, {}", library_->version(), engines);
}

}  // namespace traceml
