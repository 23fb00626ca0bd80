#include "harness/app/run_history.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <vector>

#include "harness/codec/past_run.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

struct Found {
  std::string folder;
  PastRun run;
};

// Newest first; `dir` is absolute.
std::vector<Found> runs_beside(const fs::path& dir, const std::string& name) {
  std::vector<Found> runs;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir.parent_path(), error)) {
    if (entry.is_symlink(error) || !entry.is_directory(error)) continue;
    if (fs::equivalent(entry.path(), dir, error)) continue;
    auto run = read_past_run(entry.path().string());
    if (run && run->finished && run->name == name) {
      runs.push_back({entry.path().filename().string(), std::move(*run)});
    }
  }
  std::sort(runs.begin(), runs.end(), [](const Found& a, const Found& b) {
    return std::tie(a.run.created_utc, a.folder) > std::tie(b.run.created_utc, b.folder);
  });
  return runs;
}

bool undecided_in(const PastRun& run, const std::string& gate) {
  const auto found = run.undecided.find(gate);
  return found != run.undecided.end() && found->second;
}

}  // namespace

std::map<std::string, std::int64_t> inconclusive_before(const std::string& dir,
                                                        const std::string& name,
                                                        const CampaignFacts& facts) {
  std::map<std::string, std::int64_t> counts;
  std::vector<GateSpec> gates = facts.gates;
  gates.insert(gates.end(), facts.left_out_gates.begin(), facts.left_out_gates.end());
  std::erase_if(gates, [](const GateSpec& gate) { return gate.escalate_after == 0; });
  if (gates.empty()) return counts;
  fs::path folder = fs::absolute(dir).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // it was written "results/one/"
  const std::vector<Found> runs = runs_beside(folder, name);
  for (const GateSpec& gate : gates) {
    const auto decided = std::find_if(runs.begin(), runs.end(), [&](const Found& found) {
      return !undecided_in(found.run, gate.name);
    });
    counts[gate.name] = decided - runs.begin();
  }
  return counts;
}

}  // namespace traceml
