#include "harness/app/output_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "harness/core/error.h"

namespace traceml {

void refuse_to_overwrite(const std::string& option, const std::string& output,
                         const std::vector<std::string>& inputs) {
  if (output.empty()) return;
  for (const std::string& input : inputs) {
    std::error_code ignored;  // what is not there yet overwrites nothing
    if (!std::filesystem::equivalent(output, input, ignored)) continue;
    throw UsageError(
        fmt::format("{} {} would overwrite a file that is read; name another one", option, output));
  }
}

}  // namespace traceml
