#include "harness/app/terminal_probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace traceml {
namespace {

bool under_a_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

StreamSink probe_open(int descriptor) {
  StreamSink sink;
  sink.terminal = isatty(descriptor) != 0;
  winsize size{};
  if (sink.terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) sink.columns = size.ws_col;
  return sink;
}

}  // namespace

StreamSink probe_stream(int descriptor) {
  if (!under_a_launcher()) return probe_open(descriptor);
  const std::string stream = fmt::format("/proc/{}/fd/{}", getppid(), descriptor);
  const int launchers = open(stream.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (launchers < 0) return {};
  const StreamSink sink = probe_open(launchers);
  close(launchers);
  return sink;
}

}  // namespace traceml
