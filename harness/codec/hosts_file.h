#pragma once
// hosts.json: which machine is behind which node's alias, and which of its GPUs each rank had. It
// stays with the person who ran the job; files that are meant to be shared know the aliases alone.

#include <string>
#include <vector>

namespace traceml {

// "node0": how shareable files call a node.
std::string node_alias(int node);

// The node of each rank, numbered in the order in which their names first come, and the names.
struct Nodes {
  std::vector<int> of_rank{};
  std::vector<std::string> hosts{};
  std::vector<std::string> gpus{};  // by rank, "GPU 1 (0000:1b:00.0)"; empty where ranks have none
};
Nodes number_nodes(const std::vector<std::string>& host_of_rank);

// Atomically (atomic_file.h).
void write_hosts(const std::string& path, const Nodes& nodes);

// `hosts` and `gpus`; both empty where there is no such file, or none that can be read: a report
// goes on without it.
Nodes read_hosts(const std::string& path);

}  // namespace traceml
