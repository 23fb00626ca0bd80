#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "harness/app/commands.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

int dispatch(const CommandLine& line) {
  if (line.run) return run_command(*line.run);
  if (line.report) return report_command(*line.report);
  if (line.compare) return compare_command(*line.compare);
  if (line.check) return check_command(*line.check);
  if (line.init) return init_command(*line.init);
  if (line.datagen) return datagen_command(*line.datagen);
  if (line.doctor) return doctor_command(*line.doctor);
  std::fputs(line.text->c_str(), stdout);
  return value_of(ExitCode::kPass);
}

}  // namespace
}  // namespace traceml

int main(int argc, char** argv) {
  using namespace traceml;
  try {
    return dispatch(parse_command_line(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const Error& error) {
    fmt::print(stderr, "traceml-bench: {}\n", error.what());
    return value_of(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "traceml-bench: {}\n", error.what());
    return value_of(ExitCode::kRunFailed);
  }
}
