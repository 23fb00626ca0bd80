#pragma once
// hosts.json: which machine is behind which node's alias. It stays with the person who ran the job;
// files that are meant to be shared know the aliases alone.

#include <string>
#include <vector>

namespace traceml {

// "node0": how shareable files call a node.
std::string node_alias(int node);

// The node of each rank, numbered in the order in which their names first come, and the names.
struct Nodes {
  std::vector<int> of_rank;
  std::vector<std::string> hosts;
};
Nodes number_nodes(const std::vector<std::string>& host_of_rank);

// Atomically (atomic_file.h).
void write_hosts(const std::string& path, const Nodes& nodes);

// The names by node; empty where there is no such file, or none that can be read: a report goes on
// without it.
std::vector<std::string> read_hosts(const std::string& path);

}  // namespace traceml
