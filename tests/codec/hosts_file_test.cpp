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
  EXPECT_THAT(read_hosts(path), ElementsAre("login-1", "gpu \"7\""));
}

TEST(HostsFile, that_is_missing_or_torn_names_nobody) {
  EXPECT_THAT(read_hosts(path_of("nowhere.json")), IsEmpty());
  const std::string path = path_of("torn_hosts.json");
  std::ofstream(path) << "{\"nodes\": [{\"host\": 7";
  EXPECT_THAT(read_hosts(path), IsEmpty());
  std::ofstream(path) << "{\"nodes\": [{\"host\": 7}]}";
  EXPECT_THAT(read_hosts(path), IsEmpty());
}

}  // namespace
}  // namespace traceml
