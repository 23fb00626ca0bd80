#include "harness/codec/hosts_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace traceml {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string path_of(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(HostsFile, numbers_nodes_in_the_order_of_their_first_ranks) {
  const Nodes nodes = number_nodes({"b", "b", "a", "b", "c"});
  EXPECT_THAT(nodes.of_rank, ElementsAre(0, 0, 1, 0, 2));
  EXPECT_THAT(nodes.hosts, ElementsAre("b", "a", "c"));
  EXPECT_EQ(node_alias(2), "node2");
}

TEST(HostsFile, reads_back_the_names_by_node) {
  const std::string path = path_of("hosts.json");
  write_hosts(path, number_nodes({"login-1", "gpu \"7\"", "login-1"}));
  EXPECT_THAT(read_hosts(path).hosts, ElementsAre("login-1", "gpu \"7\""));
  EXPECT_THAT(read_hosts(path).gpus, IsEmpty());
}

TEST(HostsFile, reads_back_the_gpu_of_each_rank) {
  const std::string path = path_of("gpu_hosts.json");
  Nodes nodes = number_nodes({"b", "a", "b"});
  nodes.gpus = {"GPU 0 (0000:1b:00.0)", "GPU 0 (0000:1b:00.0)", "GPU 1 (0000:43:00.0)"};
  write_hosts(path, nodes);
  EXPECT_EQ(read_hosts(path).gpus, nodes.gpus);
  EXPECT_THAT(read_hosts(path).hosts, ElementsAre("b", "a"));
}

TEST(HostsFile, that_is_missing_or_torn_names_nobody) {
  EXPECT_THAT(read_hosts(path_of("nowhere.json")).hosts, IsEmpty());
  const std::string path = path_of("torn_hosts.json");
  std::ofstream(path) << "{\"nodes\": [{\"host\": 7";
  EXPECT_THAT(read_hosts(path).hosts, IsEmpty());
  std::ofstream(path) << "{\"nodes\": [{\"host\": 7}]}";
  EXPECT_THAT(read_hosts(path).hosts, IsEmpty());
  std::ofstream(path) << R"({"nodes": [{"host": "b", "gpus": {"first": "GPU 0"}}]})";
  EXPECT_THAT(read_hosts(path).hosts, IsEmpty());
}

}  // namespace
}  // namespace traceml
