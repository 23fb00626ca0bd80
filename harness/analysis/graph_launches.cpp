#include "harness/analysis/graph_launches.h"

#include <map>
#include <set>
#include <vector>

#include "harness/analysis/timeline_names.h"

namespace traceml {

GraphLaunches count_graph_launches(const Timeline& timeline) {
  std::map<HostIndex, std::set<std::int64_t>> nodes;  // of each launch
  for (WorkIndex work = 0; work < timeline.events.device.size(); ++work) {
    const auto launch = timeline.launch[work];
    if (!launch || !is_graph_launch(timeline.name_of(timeline.events.host[*launch]))) continue;
    auto& seen = nodes[*launch];
    if (const auto node = timeline.events.device[work].graph_node) seen.insert(*node);
  }
  std::map<std::int64_t, std::size_t> graph_of;  // of each node: position in `graphs`
  std::vector<std::set<std::int64_t>> graphs;    // all nodes seen of each
  std::map<HostIndex, std::size_t> graph_launched;
  for (const auto& [launch, own] : nodes) {
    if (own.empty()) continue;
    const auto known = graph_of.find(*own.begin());
    const std::size_t graph = known == graph_of.end() ? graphs.size() : known->second;
    if (graph == graphs.size()) graphs.emplace_back();
    graphs[graph].insert(own.begin(), own.end());
    for (const std::int64_t node : own) graph_of.try_emplace(node, graph);
    graph_launched[launch] = graph;
  }
  GraphLaunches count;
  count.launches = static_cast<std::int64_t>(nodes.size());
  for (const auto& [launch, graph] : graph_launched) {
    if (nodes[launch].size() < graphs[graph].size()) ++count.partial;
  }
  return count;
}

}  // namespace traceml
