#include "harness/app/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "harness/app/terminal_probe.h"
#include "harness/core/error_line.h"

namespace traceml {

ProgressLine::ProgressLine() : terminal_(probe_stream(STDERR_FILENO).terminal) {}

ProgressLine::~ProgressLine() {
  if (shown_ > 0) std::fputs(("\r" + std::string(shown_, ' ') + "\r").c_str(), stderr);
}

void ProgressLine::on_warm_up(const std::string& arm) {
  show(fmt::format("warm-up of {}", arm));
}

void ProgressLine::on_window(const WindowProgress& progress) {
  const bool last_of_block = progress.order + 1 == progress.windows_in_block;
  if (!terminal_ && !last_of_block) return;
  show(fmt::format("block {} of at most {}, window {} of {} ({}), {:.0f} s", progress.block + 1,
                   progress.max_blocks, progress.order + 1, progress.windows_in_block, progress.arm,
                   progress.elapsed.count()));
}

void ProgressLine::show(const std::string& text) {
  if (!terminal_) {
    print_error_line(text);
    return;
  }
  const std::size_t blanks = shown_ > text.size() ? shown_ - text.size() : 0;
  std::fputs(("\r" + text + std::string(blanks, ' ')).c_str(), stderr);
  std::fflush(stderr);
  shown_ = text.size();
}

}  // namespace traceml
