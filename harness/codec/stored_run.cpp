#include "harness/codec/stored_run.h"

#include <fmt/format.h>

#include "harness/codec/atomic_file.h"
#include "harness/codec/json_input.h"
#include "harness/codec/run_json_reader.h"
#include "harness/codec/traceml_summary.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

StoredRun stored_run_of(const nlohmann::json& json, const std::string& path,
                        const std::string& arm) {
  const JsonPlace top(json, path);
  if (json.contains("tool") && json.contains("arms")) return read_run_json(top, path, arm);
  if (json.contains("step_time") || json.contains("step_memory")) {
    return read_traceml_summary(top, path);
  }
  throw UsageError(
      fmt::format("{}: is neither a run.json of traceml-bench (no tool and arms) nor a "
                  "final_summary.json of TraceML (no step_time)",
                  path));
}

}  // namespace

StoredRun stored_run_of_text(const std::string& text, const std::string& path,
                             const std::string& arm) {
  return stored_run_of(parse_json_object(text, path), path, arm);
}

StoredRun read_stored_run(const std::string& path, const std::string& arm) {
  return stored_run_of(read_json_object(path), path, arm);
}

}  // namespace traceml
