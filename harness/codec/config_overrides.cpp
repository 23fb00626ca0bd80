#include "harness/codec/config_overrides.h"

#include <set>

#include "harness/core/error.h"
#include "harness/plan/nearest.h"

namespace traceml {

std::vector<Override> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  std::set<std::string> seen;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--set " + shown(text) + ": write KEY=VALUE, as input.workers=8");
    }
    Override one;
    one.path = text.substr(0, equals);
    one.text = text.substr(equals + 1);
    one.place = "--set " + one.path;
    if (!seen.insert(one.path).second) {
      throw UsageError(one.place + ": is given twice; keep one of them");
    }
    overrides.push_back(one);
  }
  return overrides;
}

}  // namespace traceml
