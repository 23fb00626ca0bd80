#include "workloads/torch/intra_op_threads.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/core/error.h"
#include "harness/runner/allowed_cores.h"

namespace traceml {
namespace {

// Equal for processes under one kernel, containers included.
std::string node_name() {
  std::string id;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  if (file >> id) return id;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

// "NODE 0 1 5": one line a rank.
std::string to_line(const RankCores& rank) {
  std::string line = rank.node;
  for (const int core : rank.cores) line.append(" ").append(std::to_string(core));
  return line;
}

RankCores from_line(const std::string& line) {
  std::istringstream words(line);
  RankCores rank;
  words >> rank.node;
  rank.cores.assign(std::istream_iterator<int>(words), std::istream_iterator<int>());
  return rank;
}

bool share_cores(const RankCores& a, const RankCores& b) {
  return a.node == b.node && std::any_of(a.cores.begin(), a.cores.end(), [&b](int core) {
           return std::binary_search(b.cores.begin(), b.cores.end(), core);
         });
}

}  // namespace

RankCores cores_of_this_process() {
  RankCores result{node_name(), cores_allowed_to(0)};
  if (result.cores.empty()) {
    throw RunError("sched_getaffinity failed: the cores that this process may use are unknown");
  }
  return result;
}

std::vector<RankCores> gather_cores(Transport& transport) {
  std::string all;
  for (const std::string& line : transport.gather(to_line(cores_of_this_process()))) {
    all += line + "\n";
  }
  std::istringstream lines(transport.broadcast(all));
  std::vector<RankCores> ranks;
  for (std::string line; std::getline(lines, line);) ranks.push_back(from_line(line));
  return ranks;
}

int intra_op_threads(int requested, const std::vector<RankCores>& ranks, Rank self) {
  const RankCores& mine = ranks.at(static_cast<std::size_t>(self.value));
  const auto sharing = std::max<std::ptrdiff_t>(
      1, std::count_if(ranks.begin(), ranks.end(),
                       [&](const auto& rank) { return share_cores(mine, rank); }));
  const auto cores = static_cast<std::ptrdiff_t>(mine.cores.size());
  const int share = static_cast<int>(std::max<std::ptrdiff_t>(1, cores / sharing));
  if (requested == 0) return share;
  if (requested > share) {
    throw UsageError("workload.threads: " + std::to_string(requested) + " on each of " +
                     std::to_string(sharing) + " ranks exceeds the " + std::to_string(cores) +
                     " cores that they may use; set at most " + std::to_string(share) +
                     ", or 0 for an equal share");
  }
  return requested;
}

}  // namespace traceml
