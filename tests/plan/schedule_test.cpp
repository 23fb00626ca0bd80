#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/plan.h"

namespace traceml {
namespace {

CampaignFacts facts_with(int arms, std::uint64_t seed) {
  CampaignFacts facts;
  facts.seed = seed;
  facts.settle_steps = 2;
  facts.steps_per_window = 48;
  facts.arms.resize(static_cast<std::size_t>(arms));
  return facts;
}

std::vector<ArmIndex> all_arms(const CampaignFacts& facts) {
  std::vector<ArmIndex> arms;
  for (int i = 0; i < static_cast<int>(facts.arms.size()); ++i) arms.push_back({i});
  return arms;
}

// The order of a block as letters, "BAC".
std::string order_of(const CampaignFacts& facts, int block, const std::vector<ArmIndex>& arms) {
  std::string order;
  for (const PlannedWindow& window : make_block(facts, block, arms, {0})) {
    order += static_cast<char>('A' + window.arm.value);
  }
  return order;
}

std::string campaign_of(const CampaignFacts& facts, int blocks) {
  std::string text;
  for (int block = 0; block < blocks; ++block)
    text += order_of(facts, block, all_arms(facts)) + " ";
  return text;
}

TEST(Block, holds_each_arm_once) {
  for (int arms = 1; arms <= 9; ++arms) {
    const CampaignFacts facts = facts_with(arms, 7);
    for (int block = 0; block < 20; ++block) {
      const auto windows = make_block(facts, block, all_arms(facts), {0});
      std::set<int> seen;
      for (const PlannedWindow& window : windows) seen.insert(window.arm.value);
      EXPECT_EQ(windows.size(), static_cast<std::size_t>(arms));
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(arms));
    }
  }
}

TEST(Block, is_reversed_by_the_odd_block_that_follows) {
  const CampaignFacts facts = facts_with(5, 3);
  for (int block = 0; block < 20; block += 2) {
    std::string order = order_of(facts, block, all_arms(facts));
    std::reverse(order.begin(), order.end());
    EXPECT_EQ(order_of(facts, block + 1, all_arms(facts)), order);
  }
}

TEST(Block, balances_the_order_of_every_pair_of_arms_at_every_look) {
  const CampaignFacts facts = facts_with(4, 11);
  for (const int look : facts.looks) {
    std::map<std::pair<char, char>, int> firsts;
    for (int block = 0; block < look; ++block) {
      const std::string order = order_of(facts, block, all_arms(facts));
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j) ++firsts[{order[i], order[j]}];
      }
    }
    for (const auto& [pair, count] : firsts) EXPECT_EQ(count, look / 2);
  }
}

TEST(Block, makes_both_abba_and_baab_of_two_arms) {
  const CampaignFacts facts = facts_with(2, 1);
  std::set<std::string> quads;
  for (int block = 0; block < 40; block += 2) {
    quads.insert(order_of(facts, block, all_arms(facts)) +
                 order_of(facts, block + 1, all_arms(facts)));
  }
  EXPECT_EQ(quads, (std::set<std::string>{"ABBA", "BAAB"}));
}

TEST(Block, draws_every_permutation_about_equally_often) {
  std::map<std::string, int> counts;
  constexpr int kDraws = 6000;
  for (int seed = 0; seed < kDraws; ++seed) {
    const CampaignFacts facts = facts_with(3, static_cast<std::uint64_t>(seed));
    ++counts[order_of(facts, 0, all_arms(facts))];
  }
  ASSERT_EQ(counts.size(), 6u);
  for (const auto& [order, count] : counts) {
    EXPECT_NEAR(count, kDraws / 6, 150) << order;  // five standard deviations
  }
}

TEST(Block, differs_between_seeds_and_repeats_with_one) {
  std::set<std::string> campaigns;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    campaigns.insert(campaign_of(facts_with(3, seed), 20));
    EXPECT_EQ(campaign_of(facts_with(3, seed), 20), campaign_of(facts_with(3, seed), 20));
  }
  EXPECT_EQ(campaigns.size(), 50u);
}

TEST(Block, has_the_same_order_on_every_platform) {
  // From a second implementation, in Python's integers.
  EXPECT_EQ(campaign_of(facts_with(3, 7), 6), "CBA ABC CAB BAC CAB BAC ");
}

TEST(Block, keeps_the_order_of_the_other_arms_when_some_are_left_out) {
  const CampaignFacts facts = facts_with(5, 9);
  for (int block = 0; block < 20; ++block) {
    std::string order = order_of(facts, block, all_arms(facts));
    std::erase_if(order, [](char arm) { return arm == 'B' || arm == 'D'; });
    EXPECT_EQ(order_of(facts, block, {{0}, {2}, {4}}), order);
  }
}

TEST(Block, counts_windows_on_and_gives_all_arms_the_same_batches) {
  const CampaignFacts facts = facts_with(3, 7);
  const auto windows = make_block(facts, 4, all_arms(facts), {12});
  for (std::size_t i = 0; i < windows.size(); ++i) {
    EXPECT_EQ(windows[i].index.value, 12 + static_cast<std::int64_t>(i));
    EXPECT_EQ(windows[i].order, static_cast<int>(i));
    EXPECT_EQ(windows[i].block, 4);
    EXPECT_EQ(windows[i].first_batch, 4 * (2 + 48));
  }
}

}  // namespace
}  // namespace traceml
