#pragma once

#include <cstddef>

#include "harness/runner/progress.h"

namespace traceml {

// Progress on standard error: one line that is written over on a terminal, a line for each block
// elsewhere.
class ProgressLine final : public ProgressSink {
 public:
  ProgressLine();
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void on_warm_up(const std::string& arm) override;
  void on_window(const WindowProgress& progress) override;

 private:
  void show(const std::string& text);

  bool terminal_ = false;
  std::size_t shown_ = 0;  // characters of the line now on the terminal
};

}  // namespace traceml
