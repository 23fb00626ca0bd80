// The raw files of a run with one rank, or of one of commands, as `report --accept-edited` reads
// and judges them: their texts in one input, with lines "%%%% FILE" between them.

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/analysis/campaign.h"
#include "harness/analysis/command_campaign.h"
#include "harness/codec/command_file.h"
#include "harness/codec/config_file.h"
#include "harness/codec/raw_files.h"
#include "harness/codec/run_info.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/plan.h"
#include "harness/reports/all_reports.h"
#include "tests/codec/temporary_folder.h"
#include "tests/fuzz/fuzz_target.h"

namespace traceml {
namespace {

constexpr const char* kFiles[] = {"run_info.json",        "windows_rank_0000.csv",
                                  "steps_rank_0000.csv",  "collectives_rank_0000.csv",
                                  "device_rank_0000.csv", "input_rank_0000.csv",
                                  "commands.csv"};
constexpr std::string_view kMark = "%%%% ";

void write_files(std::string_view input, const testing::TemporaryFolder& folder) {
  for (const char* name : kFiles) std::filesystem::remove(folder.path(name));
  while (!input.empty()) {
    const std::size_t line_end = std::min(input.find('\n'), input.size() - 1);
    const std::string_view line = input.substr(0, line_end);
    const std::size_t next = std::min(input.find(kMark, line_end), input.size());
    for (const char* name : kFiles) {
      if (line != std::string(kMark) + name) continue;
      folder.write(name, std::string(input.substr(line_end + 1, next - line_end - 1)));
    }
    input.remove_prefix(std::max(next, line_end + 1));
  }
}

void report(const std::string& raw) {
  const RunInfo info = read_run_info(raw + "/run_info.json", true);
  const Plan plan =
      make_plan(read_config_text(info.config_text, "run_info.json", {}), info.world_size);
  const std::vector<std::string> arms = arm_names(plan.facts);
  std::vector<std::string> warnings;
  const CampaignSummary summary =
      plan.facts.commands
          ? summarize_commands(plan.facts, read_commands(raw, info.run, arms, true, &warnings))
          : summarize_campaign(
                plan.facts, read_run_records({raw, info.run, arms, true}, plan.facts, &warnings));
  const auto files = render_files({info, plan, summary, raw});
  if (nlohmann::json::parse(files.at("run.json")).empty()) __builtin_trap();  // throws for NaN
}

}  // namespace
}  // namespace traceml

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const traceml::testing::TemporaryFolder folder;
  traceml::write_files({reinterpret_cast<const char*>(data), size}, folder);
  try {
    traceml::report(folder.path());
  } catch (const traceml::Error&) {
  }
  return 0;
}
