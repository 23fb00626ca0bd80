#include "harness/analysis/operators.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace traceml {
namespace {

struct Sums {
  OperatorTotal total;
  std::map<NameIndex, std::int64_t> shapes;
};

class Operators {
 public:
  Operators(const Timeline& timeline, const Selection& selection)
      : timeline_(timeline), window_(host_window(timeline, selection)) {
    const auto& host = timeline.events.host;
    around_.resize(host.size());
    for (HostIndex i = 0; i < host.size(); ++i) {
      const auto parent = timeline.parent[i];
      if (!parent) continue;
      around_[i] = host[*parent].kind == HostKind::kOperator ? parent : around_[*parent];
    }
    for (HostIndex i = 0; i < host.size(); ++i) {
      if (host[i].kind == HostKind::kOperator && is_inside(host[i])) add_host(i);
    }
    for (const WorkIndex work : selection.work) add_device(work);
  }

  std::vector<OperatorTotal> take() {
    std::vector<OperatorTotal> list;
    for (auto& [name, sums] : operators_) {
      if (sums.total.count == 0) continue;
      sums.total.name = timeline_.events.names[name];
      for (const auto& [shape, count] : sums.shapes) {
        sums.total.shapes.push_back({timeline_.events.names[shape], count});
      }
      std::stable_sort(sums.total.shapes.begin(), sums.total.shapes.end(),
                       [](const auto& a, const auto& b) { return a.count > b.count; });
      list.push_back(std::move(sums.total));
    }
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.device_self, a.host_self) > std::tuple(b.device_self, b.host_self);
    });
    return list;
  }

 private:
  const HostSpan& span(HostIndex index) const { return timeline_.events.host[index]; }

  bool is_inside(const HostSpan& span) const {
    return span.start >= window_.begin && span.start < window_.end;
  }

  void add_host(HostIndex index) {
    const HostSpan& own = span(index);
    Sums& sums = operators_[own.name];
    ++sums.total.count;
    if (own.shape) ++sums.shapes[*own.shape];
    sums.total.host_self += own.duration;
    const auto outer = around_[index];
    // Of stacks out of order only the part within the outer one is taken from it.
    if (outer && is_inside(span(*outer))) {
      const Nanos within = std::min(own.end(), span(*outer).end()) - own.start;
      operators_[span(*outer).name].total.host_self -= within;
    }
    for (auto up = outer; up; up = around_[*up]) {
      if (span(*up).name == own.name && is_inside(span(*up))) return;
    }
    sums.total.host_total += own.duration;
  }

  void add_device(WorkIndex work) {
    const auto launch = timeline_.launch[work];
    if (!launch) return;
    const Nanos time = timeline_.events.device[work].duration;
    auto up = around_[*launch];
    if (up && is_inside(span(*up))) operators_[span(*up).name].total.device_self += time;
    std::vector<NameIndex> seen;
    for (; up; up = around_[*up]) {
      const NameIndex name = span(*up).name;
      if (!is_inside(span(*up)) || std::find(seen.begin(), seen.end(), name) != seen.end())
        continue;
      seen.push_back(name);
      operators_[name].total.device_total += time;
    }
  }

  const Timeline& timeline_;
  TimeRange window_;
  std::vector<std::optional<HostIndex>> around_;  // of each host span: the innermost operator
  std::map<NameIndex, Sums> operators_;
};

}  // namespace

std::vector<OperatorTotal> operator_totals(const Timeline& timeline, const Selection& selection) {
  return Operators(timeline, selection).take();
}

}  // namespace traceml
