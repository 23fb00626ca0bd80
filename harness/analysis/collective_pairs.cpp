#include "harness/analysis/collective_pairs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/analysis/bus_bandwidth.h"
#include "harness/analysis/timeline_names.h"

namespace traceml {
namespace {

struct OneCollective {
  std::string operation, group;
  std::optional<std::int64_t> sequence, bytes;
  std::optional<int> group_size;
  TimeRange when;
};

// Unix time reaches that in 2043: beyond it base and time are not of one clock.
constexpr Nanos kLatest{std::int64_t{1} << 61};

bool is_point_to_point(const std::string& operation) {
  return operation.find("send") != std::string::npos || operation.find("recv") != std::string::npos;
}

std::vector<OneCollective> collectives_of(const Timeline& timeline) {
  std::vector<OneCollective> all;
  for (const DeviceSpan& work : timeline.events.device) {
    const std::string_view name = timeline.name_of(work);
    if (work.kind != DeviceKind::kKernel || !is_communication(name)) continue;
    OneCollective one;
    if (work.collective) {
      const CollectiveFacts& facts = timeline.events.collectives[*work.collective];
      one.operation = facts.operation;
      one.group = facts.group;
      one.sequence = facts.sequence;
      one.bytes = collective_bytes(facts);
      one.group_size = facts.group_size;
    }
    if (one.operation.empty()) one.operation = operation_in_kernel(name);
    if (one.operation.empty() || is_point_to_point(one.operation)) continue;
    one.when = {work.start + timeline.events.base, work.end() + timeline.events.base};
    if (one.when.begin > kLatest) continue;
    all.push_back(std::move(one));
  }
  return all;
}

class Pairing {
 public:
  Pairing(const std::vector<const Timeline*>& timelines, const std::vector<int>& ranks)
      : ranks_(ranks) {
    for (const Timeline* timeline : timelines) collectives_.push_back(collectives_of(*timeline));
  }

  CollectivePairs pair() {
    pair_by_sequence();
    pair_by_end();
    for (auto& [place, count] : unmatched_) {
      result_.unmatched.push_back({ranks_[place.first], place.second, count});
    }
    std::stable_sort(result_.pairs.begin(), result_.pairs.end(),
                     [](const auto& a, const auto& b) { return first_start(a) < first_start(b); });
    return std::move(result_);
  }

 private:
  using Members = std::vector<const OneCollective*>;  // by rank; null where it has none

  static Nanos first_start(const CollectivePair& pair) {
    for (const auto& span : pair.spans) {
      if (span) return span->begin;
    }
    return Nanos{0};
  }

  // Ranks of which nothing of the group is there (another stage of a pipeline) are none of it.
  void take(const Members& members, const std::set<std::size_t>& expected) {
    const auto is_there = [&](std::size_t rank) { return members[rank] != nullptr; };
    const bool whole = std::all_of(expected.begin(), expected.end(), is_there);
    if (!whole || expected.size() < 2) {
      for (std::size_t rank = 0; rank < members.size(); ++rank) {
        if (members[rank] != nullptr) ++unmatched_[{rank, members[rank]->operation}];
      }
      return;
    }
    CollectivePair pair;
    pair.spans.resize(members.size());
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
      if (members[rank] == nullptr) continue;
      pair.spans[rank] = members[rank]->when;
      pair.operation = members[rank]->operation;
      pair.bytes = members[rank]->bytes;
      pair.group_size = members[rank]->group_size;
    }
    result_.pairs.push_back(std::move(pair));
  }

  // The last of those with one number holds: earlier ones are kernels of the same call.
  void pair_by_sequence() {
    std::map<std::pair<std::string, std::int64_t>, Members> numbered;
    std::map<std::string, std::set<std::size_t>> groups;
    for (std::size_t rank = 0; rank < collectives_.size(); ++rank) {
      for (const OneCollective& one : collectives_[rank]) {
        if (!one.sequence) continue;
        Members& members = numbered[{one.group, *one.sequence}];
        members.resize(collectives_.size());
        members[rank] = &one;
        groups[one.group].insert(rank);
      }
    }
    for (const auto& [key, members] : numbered) take(members, groups[key.first]);
  }

  // Those without a number, from the first rank that has the operation.
  void pair_by_end() {
    using Kind = std::pair<std::string, std::string>;
    std::map<Kind, std::vector<Members>> kinds;
    for (std::size_t rank = 0; rank < collectives_.size(); ++rank) {
      for (const OneCollective& one : collectives_[rank]) {
        if (one.sequence) continue;
        auto& lists = kinds[{one.group, one.operation}];
        lists.resize(collectives_.size());
        lists[rank].push_back(&one);
      }
    }
    for (auto& [kind, lists] : kinds) pair_kind(lists);
  }

  void pair_kind(const std::vector<Members>& lists) {
    std::set<std::size_t> expected;
    for (std::size_t rank = 0; rank < lists.size(); ++rank) {
      if (!lists[rank].empty()) expected.insert(rank);
    }
    std::vector<Nanos> longest(lists.size());
    for (const std::size_t rank : expected) {
      for (const OneCollective* one : lists[rank]) {
        longest[rank] = std::max(longest[rank], one->when.end - one->when.begin);
      }
    }
    std::set<const OneCollective*> used;
    const std::size_t first = *expected.begin();
    for (const OneCollective* one : lists[first]) {
      Members members(lists.size());
      members[first] = one;
      for (const std::size_t rank : expected) {
        if (rank != first) members[rank] = nearest(lists[rank], longest[rank], *one, used);
      }
      for (const OneCollective* member : members) used.insert(member);
      take(members, expected);
    }
    for (const std::size_t rank : expected) {
      for (const OneCollective* one : lists[rank]) {
        if (!used.contains(one)) ++unmatched_[{rank, one->operation}];
      }
    }
  }

  // `list` is by start, and none of it lasts longer than `longest`: only what can overlap is looked
  // at.
  static const OneCollective* nearest(const Members& list, Nanos longest, const OneCollective& to,
                                      const std::set<const OneCollective*>& used) {
    const auto distance = [&to](const OneCollective& one) {
      return std::max(one.when.end - to.when.end, to.when.end - one.when.end);
    };
    const OneCollective* best = nullptr;
    const auto starts_before = [](const OneCollective* one, Nanos when) {
      return one->when.begin < when;
    };
    auto at = std::lower_bound(list.begin(), list.end(), to.when.begin - longest, starts_before);
    for (; at != list.end() && (*at)->when.begin < to.when.end; ++at) {
      const OneCollective* one = *at;
      if (one->when.end <= to.when.begin || used.contains(one) || one->bytes != to.bytes) continue;
      if (best == nullptr || distance(*one) < distance(*best)) best = one;
    }
    return best;
  }

  const std::vector<int>& ranks_;
  std::vector<std::vector<OneCollective>> collectives_;
  std::map<std::pair<std::size_t, std::string>, std::int64_t> unmatched_;
  CollectivePairs result_;
};

}  // namespace

CollectivePairs pair_collectives(const std::vector<const Timeline*>& timelines,
                                 const std::vector<int>& ranks) {
  return Pairing(timelines, ranks).pair();
}

}  // namespace traceml
