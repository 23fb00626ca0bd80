#include "harness/runner/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "harness/codec/config_file.h"
#include "harness/codec/raw_files.h"
#include "harness/runner/wire.h"

namespace traceml {
namespace {

// FNV-1a, 64 bits.
std::uint64_t digest_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  }
  return hash;
}

std::string text_of(const CampaignFacts& facts) {
  std::string text = fmt::format(
      "world {} steps {} settle {} warmup {} period {} alpha {} looks {} blocks {} until {} sd {} "
      "seed {}\n",
      facts.world_size, facts.steps_per_window, facts.settle_steps, facts.warmup_steps,
      facts.period, facts.alpha, fmt::join(facts.looks, ","), facts.max_blocks, facts.until_verdict,
      facts.interaction_sd, facts.seed);
  for (const ArmFacts& arm : facts.arms) {
    text += fmt::format("{} {} {} {}\n", arm.name, static_cast<int>(arm.instrument),
                        arm.global_batch, arm.period);
    for (const auto& [key, value] : arm.settings) text += fmt::format("  {}={}\n", key, value);
  }
  for (const GateSpec& gate : facts.gates) {
    text += fmt::format("{} {} {} {}\n", gate.name, gate.candidate.value, gate.baseline.value,
                        gate.delta);
  }
  return text;
}

// Ranks whose bytes differ from rank 0's.
std::vector<std::size_t> others(const std::vector<std::string>& all) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] != all.front()) ranks.push_back(rank);
  }
  return ranks;
}

std::string named(const std::vector<std::size_t>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

}  // namespace

void require_equal(Transport& transport,
                   const std::vector<std::pair<std::string, std::string>>& things) {
  std::string sentence;
  for (const auto& [name, text] : things) {
    const auto all = transport.gather(fmt::format("{:016x}", digest_of(text)));
    const std::vector<std::size_t> different = others(all);
    if (!different.empty() && sentence.empty()) {
      sentence = fmt::format(
          "{} {} another {} than rank 0; start every rank with the same binary, config and flags",
          named(different), different.size() == 1 ? "holds" : "hold", name);
    }
  }
  sentence = transport.broadcast(sentence);
  if (!sentence.empty()) throw RunError(sentence);
}

std::vector<std::pair<std::string, std::string>> things_of(const Plan& plan,
                                                           const std::string& build) {
  return {{"build", build}, {"config", write_config(plan.config)}, {"plan", text_of(plan.facts)}};
}

std::string parameters_difference(Transport& transport, std::uint64_t digest) {
  const auto all = transport.gather(fmt::format("{:016x}", digest));
  const std::vector<std::size_t> different = others(all);
  std::string sentence;
  if (!different.empty()) {
    sentence = fmt::format(
        "{} ended with other parameters than rank 0 ({} against {}): gradients were not averaged "
        "alike, so the ranks did not train one model",
        named(different), all[different.front()], all.front());
  }
  return transport.broadcast(sentence);
}

std::map<std::string, std::int64_t> total_counters(
    Transport& transport, const std::map<std::string, std::int64_t>& counters) {
  std::map<std::string, std::int64_t> total;
  for (const std::string& text : transport.gather(encode_counters(counters))) {
    for (const auto& [name, value] : decode_counters(text)) {
      std::int64_t& sum = total[name];
      sum = name == "events_high_water" ? std::max(sum, value) : sum + value;
    }
  }
  return total;
}

std::vector<std::string> distinct_lines(Transport& transport,
                                        const std::vector<std::string>& lines) {
  std::vector<std::string> distinct;
  std::set<std::string> seen = {""};
  for (const std::string& text : transport.gather(fmt::format("{}", fmt::join(lines, "\n")))) {
    std::istringstream of_rank(text);
    for (std::string line; std::getline(of_rank, line);) {
      if (seen.insert(line).second) distinct.push_back(line);
    }
  }
  return distinct;
}

std::vector<std::string> lines_by_rank(Transport& transport, const std::string& own,
                                       const std::string& opening) {
  const std::vector<std::string> all = transport.gather(own);
  std::vector<std::string> told;
  std::map<std::string, std::vector<std::size_t>> ranks;
  for (std::size_t rank = 0; rank < all.size(); ++rank) ranks[all[rank]].push_back(rank);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::string& line = all[rank];
    const std::vector<std::size_t>& its = ranks[line];
    if (line.empty() || its.front() != rank) continue;  // told with the first of them
    const std::string whose = its.size() == all.size() ? "" : named(its) + ": ";
    told.push_back(whose + opening + line);
  }
  return told;
}

void gather_raw_files(Transport& transport, const std::string& own_dir,
                      const std::string& out_dir) {
  const bool root = transport.rank() == Rank{0};
  std::string present;
  if (root) {
    for (const Rank rank : ranks_in(out_dir)) present += fmt::format("{}\n", rank.value);
  }
  present = transport.broadcast(present);
  std::istringstream lines(present);
  bool mine_is_there = false;
  for (int rank = 0; lines >> rank;) {
    mine_is_there = mine_is_there || Rank{rank} == transport.rank();
  }
  const auto all =
      transport.gather(mine_is_there ? std::string() : pack_raw_files(own_dir, transport.rank()));
  for (const std::string& packed : all) {
    if (!packed.empty()) unpack_raw_files(packed, out_dir);
  }
}

std::vector<std::string> lines_of_all_ranks(Transport& transport, const std::string& own) {
  std::string all;
  for (const std::string& line : transport.gather(own)) all += line + "\n";
  std::istringstream lines(transport.broadcast(all));
  std::vector<std::string> each;
  for (std::string line; std::getline(lines, line);) each.push_back(std::move(line));
  return each;
}

}  // namespace traceml
