#pragma once
// CUPTI, opened at run time: a binary starts and runs without it.

#include <cupti.h>

#include <source_location>
#include <string>

namespace traceml {

struct CuptiLibrary {
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityEnableRuntimeApi) enable_runtime_call = nullptr;
  decltype(&cuptiActivityEnableDriverApi) enable_driver_call = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
  decltype(&cuptiActivitySetAttribute) set_attribute = nullptr;
  decltype(&cuptiSetThreadIdType) set_thread_id_type = nullptr;
  decltype(&cuptiGetTimestamp) timestamp = nullptr;
  decltype(&cuptiGetCallbackName) callback_name = nullptr;
  decltype(&cuptiGetResultString) result_text = nullptr;

  // Throws RunError with one sentence unless `result` is a success.
  void check(CUptiResult result, const char* what) const;
};

// Opened once for the life of the process; it may already be loaded, by libtorch. Throws RunError
// where it is not there or lacks a function.
const CuptiLibrary& cupti_library();

}  // namespace traceml
