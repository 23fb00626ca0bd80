#include "harness/backends/cupti/cupti_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "harness/core/error.h"

namespace traceml {
namespace {

constexpr const char* kFile = "libcupti.so.13";

void* open_file() {
  void* file = ::dlopen(kFile, RTLD_NOW | RTLD_GLOBAL);
  if (file != nullptr) return file;
  throw RunError(fmt::format(
      "{} was not found ({}); it comes with PyTorch's wheel and with the CUDA toolkit, put its "
      "folder into LD_LIBRARY_PATH",
      kFile, ::dlerror()));
}

template <typename Function>
void load(void* file, const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(::dlsym(file, name));
  if (*function == nullptr) {
    throw RunError(fmt::format("{} has no {}; it must be of CUDA 13", kFile, name));
  }
}

CuptiLibrary open_library() {
  void* const file = open_file();
  CuptiLibrary library;
  load(file, "cuptiActivityEnable", &library.enable);
  load(file, "cuptiActivityDisable", &library.disable);
  load(file, "cuptiActivityEnableRuntimeApi", &library.enable_runtime_call);
  load(file, "cuptiActivityEnableDriverApi", &library.enable_driver_call);
  load(file, "cuptiActivityRegisterCallbacks", &library.register_callbacks);
  load(file, "cuptiActivityFlushAll", &library.flush_all);
  load(file, "cuptiActivityGetNextRecord", &library.next_record);
  load(file, "cuptiActivityGetNumDroppedRecords", &library.dropped_records);
  load(file, "cuptiActivitySetAttribute", &library.set_attribute);
  load(file, "cuptiSetThreadIdType", &library.set_thread_id_type);
  load(file, "cuptiGetTimestamp", &library.timestamp);
  load(file, "cuptiGetCallbackName", &library.callback_name);
  load(file, "cuptiGetResultString", &library.result_text);
  return library;
}

}  // namespace

void CuptiLibrary::check(CUptiResult result, const char* what) const {
  switch (result) {
    case CUPTI_SUCCESS:
      return;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      throw RunError(
          "CUPTI may not trace here: the driver leaves it to the administrator; run as root, or "
          "load the driver with NVreg_RestrictProfilingToAdminUsers=0");
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      throw RunError(
          "another tool traces this process through CUPTI; run it without nsys, ncu or "
          "compute-sanitizer");
    default:
      break;
  }
  const char* text = nullptr;
  result_text(result, &text);
  throw RunError(
      fmt::format("CUPTI could not {}: {}", what, text == nullptr ? std::to_string(result) : text));
}

const CuptiLibrary& cupti_library() {
  static const CuptiLibrary library = open_library();
  return library;
}

}  // namespace traceml
