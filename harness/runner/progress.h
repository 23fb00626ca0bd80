#pragma once

#include <string>

#include "harness/core/ids.h"
#include "harness/core/units.h"

namespace traceml {

// A window of rank 0 has ended.
struct WindowProgress {
  std::string arm;
  WindowIndex window;
  int block = 0;       // from 0
  int max_blocks = 0;  // the run may stop at an earlier look
  int order = 0;       // position in the block, from 0
  int windows_in_block = 0;
  Seconds elapsed{};  // since the run began
};

// Rank 0's view of a run that goes on. Training thread, between windows, never inside one.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void on_warm_up(const std::string& arm) = 0;  // begins
  virtual void on_window(const WindowProgress& progress) = 0;
};

}  // namespace traceml
