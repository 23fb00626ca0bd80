#include "harness/runner/rank_cores.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/core/error.h"
#include "harness/runner/agreement.h"
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
  std::vector<RankCores> ranks;
  for (const std::string& line : lines_of_all_ranks(transport, to_line(cores_of_this_process()))) {
    ranks.push_back(from_line(line));
  }
  return ranks;
}

std::vector<std::size_t> ranks_sharing_cores(const std::vector<RankCores>& ranks, Rank self) {
  const RankCores& mine = ranks.at(static_cast<std::size_t>(self.value));
  std::vector<std::size_t> sharing;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (share_cores(mine, ranks[i])) sharing.push_back(i);
  }
  return sharing;
}

std::vector<int> share_of_cores(const std::vector<RankCores>& ranks, Rank self) {
  const auto own = static_cast<std::size_t>(self.value);
  const std::vector<int>& mine = ranks.at(own).cores;
  const std::vector<std::size_t> sharing = ranks_sharing_cores(ranks, self);
  for (const std::size_t i : sharing) {
    if (ranks[i].cores != mine) return mine;
  }
  const auto place =
      static_cast<std::size_t>(std::find(sharing.begin(), sharing.end(), own) - sharing.begin());
  const std::size_t begin = place * mine.size() / sharing.size();
  const std::size_t end = std::max(begin + 1, (place + 1) * mine.size() / sharing.size());
  return {mine.begin() + static_cast<std::ptrdiff_t>(begin),
          mine.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::vector<int> keep_to_share_of_cores(Transport& transport) {
  const std::vector<int> share = share_of_cores(gather_cores(transport), transport.rank());
  allow_cores(share);
  return share;
}

}  // namespace traceml
