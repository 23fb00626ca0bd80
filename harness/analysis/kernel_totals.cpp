// Kernels by name (device_work.h).

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/analysis/device_work.h"

namespace traceml {
namespace {

// A start or an end of selected work.
struct Edge {
  DeviceIndex device;
  Nanos when;
  bool starts;
  WorkIndex work;
};

// Of each selected work, in order of Selection::work: how long nothing else ran on its device.
class AloneTimes {
 public:
  AloneTimes(const Timeline& timeline, const Selection& selection)
      : alone_(timeline.events.device.size()) {
    std::vector<Edge> edges;
    edges.reserve(2 * selection.work.size());
    for (const WorkIndex work : selection.work) {
      const DeviceSpan& span = timeline.events.device[work];
      if (span.duration <= Nanos{0}) continue;
      edges.push_back({timeline.device_of(span), span.start, true, work});
      edges.push_back({timeline.device_of(span), span.end(), false, work});
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
      return std::tuple(a.device, a.when, a.starts) < std::tuple(b.device, b.when, b.starts);
    });
    std::int64_t running = 0;
    std::uint64_t sum = 0;  // of the indices of what runs: where one runs, its index
    Nanos last{0};
    for (const Edge& edge : edges) {
      if (running == 1) alone_[sum] += edge.when - last;
      last = edge.when;
      running += edge.starts ? 1 : -1;
      sum += edge.starts ? edge.work : -std::uint64_t{edge.work};
    }
  }

  Nanos of(WorkIndex work) const { return alone_[work]; }

 private:
  std::vector<Nanos> alone_;
};

}  // namespace

std::vector<KernelTotal> kernel_totals(const Timeline& timeline, const Selection& selection) {
  const AloneTimes alone(timeline, selection);
  std::map<NameIndex, KernelTotal> totals;
  for (const WorkIndex index : selection.work) {
    const DeviceSpan& work = timeline.events.device[index];
    if (work.kind != DeviceKind::kKernel) continue;
    KernelTotal& total = totals[work.name];
    total.name = timeline.name_of(work);
    ++total.count;
    total.total += work.duration;
    total.alone += alone.of(index);
    total.longest = std::max(total.longest, work.duration);
  }
  std::vector<KernelTotal> list;
  for (auto& [name, total] : totals) list.push_back(std::move(total));
  std::stable_sort(list.begin(), list.end(), [](const KernelTotal& a, const KernelTotal& b) {
    return a.total != b.total ? a.total > b.total : a.name < b.name;
  });
  return list;
}

}  // namespace traceml
