#pragma once

#include <string>
#include <vector>

namespace traceml {

// Throws UsageError where `output`, the value of `option`, is one of the files that are read, by
// whatever name. Empty: nothing is written.
void refuse_to_overwrite(const std::string& option, const std::string& output,
                         const std::vector<std::string>& inputs);

}  // namespace traceml
