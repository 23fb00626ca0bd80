#include "harness/codec/hosts_file.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>

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
    for (std::size_t rank = 0; rank < nodes.of_rank.size(); ++rank) {
      if (nodes.of_rank[rank] == static_cast<int>(node)) ranks.push_back(rank);
    }
    list.push_back({{"node", node_alias(static_cast<int>(node))},
                    {"host", nodes.hosts[node]},
                    {"ranks", std::move(ranks)}});
  }
  write_file_atomically(
      path, json_text({{"schema", "traceml-bench/hosts/1"}, {"nodes", std::move(list)}}));
}

std::vector<std::string> read_hosts(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  try {
    std::vector<std::string> hosts;
    const Json json = Json::parse(read_whole_file(path));
    for (const Json& node : json.at("nodes")) {
      hosts.push_back(node.at("host").get<std::string>());
    }
    return hosts;
  } catch (const Json::exception&) {
    return {};
  } catch (const Error&) {
    return {};
  }
}

}  // namespace traceml
