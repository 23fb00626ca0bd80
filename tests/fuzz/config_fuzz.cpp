// A config as a user wrote it: read, planned, printed and read again.

#include <string>

#include "harness/codec/config_file.h"
#include "harness/core/error.h"
#include "harness/plan/plan.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace traceml;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Config config = read_config_text(text, "a.yaml", {});
    const Plan plan = make_plan(config, 2);
    const std::string canonical = write_config(plan.config);
    if (write_config(make_plan(read_config_text(canonical, "a.yaml", {}), 2).config) != canonical) {
      __builtin_trap();  // a run's files would not say what was run
    }
  } catch (const Error&) {
  }
  return 0;
}
