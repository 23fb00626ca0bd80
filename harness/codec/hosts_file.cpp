#include "harness/codec/hosts_file.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/codec/atomic_file.h"
#include "harness/codec/json_text.h"
#include "harness/core/error.h"

namespace traceml {

using Json = nlohmann::ordered_json;

std::string node_alias(int node) {
  return "node" + std::to_string(node);
}

Nodes number_nodes(const std::vector<std::string>& host_of_rank) {
  Nodes nodes;
  for (const std::string& host : host_of_rank) {
    const auto known = std::find(nodes.hosts.begin(), nodes.hosts.end(), host);
    nodes.of_rank.push_back(static_cast<int>(known - nodes.hosts.begin()));
    if (known == nodes.hosts.end()) nodes.hosts.push_back(host);
  }
  return nodes;
}

void write_hosts(const std::string& path, const Nodes& nodes) {
  Json list = Json::array();
  for (std::size_t node = 0; node < nodes.hosts.size(); ++node) {
    Json ranks = Json::array();
    Json gpus = Json::object();
    for (std::size_t rank = 0; rank < nodes.of_rank.size(); ++rank) {
      if (nodes.of_rank[rank] != static_cast<int>(node)) continue;
      ranks.push_back(rank);
      if (rank < nodes.gpus.size()) gpus[std::to_string(rank)] = nodes.gpus[rank];
    }
    list.push_back({{"node", node_alias(static_cast<int>(node))},
                    {"host", nodes.hosts[node]},
                    {"ranks", std::move(ranks)},
                    {"gpus", std::move(gpus)}});
  }
  write_file_atomically(
      path, json_text({{"schema", "traceml-bench/hosts/1"}, {"nodes", std::move(list)}}));
}

Nodes read_hosts(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  try {
    Nodes nodes;
    std::map<std::size_t, std::string> gpus;
    const Json json = Json::parse(read_whole_file(path));
    for (const Json& node : json.at("nodes")) {
      nodes.hosts.push_back(node.at("host").get<std::string>());
      const Json gpus_here = node.value("gpus", Json::object());
      for (const auto& [rank, gpu] : gpus_here.items()) {
        gpus[std::stoul(rank)] = gpu.get<std::string>();
      }
    }
    for (const auto& [rank, gpu] : gpus) {
      if (rank != nodes.gpus.size()) return {.hosts = std::move(nodes.hosts)};  // not one for each
      nodes.gpus.push_back(gpu);
    }
    return nodes;
  } catch (const std::logic_error&) {  // a rank that is no number
    return {};
  } catch (const Json::exception&) {
    return {};
  } catch (const Error&) {
    return {};
  }
}

}  // namespace traceml
