#include "harness/core/ids.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <type_traits>

namespace traceml {
namespace {

template <class From, class To>
constexpr bool kMixes = std::is_convertible_v<From, To> || std::is_constructible_v<To, From> ||
                        std::equality_comparable_with<From, To>;

TEST(Ids, NoIdTurnsIntoOrComparesWithAnother) {
  static_assert(!kMixes<Rank, ArmIndex>);
  static_assert(!kMixes<ArmIndex, WindowIndex>);
  static_assert(!kMixes<WindowIndex, StepIndex>);
  static_assert(!kMixes<StepIndex, Rank>);
}

TEST(Ids, APlainNumberIsNoIdUntilItIsNamed) {
  static_assert(!std::is_convertible_v<int, Rank>);
  static_assert(!std::is_convertible_v<Rank, int>);
  static_assert(!std::is_convertible_v<std::int64_t, WindowIndex>);
  static_assert(!std::is_convertible_v<std::int64_t, StepIndex>);
}

TEST(Ids, OrderIsThatOfTheirValuesSoThatTheyKeyMaps) {
  EXPECT_LT(Rank{1}, Rank{2});
  EXPECT_LT(Rank{9}, Rank{10});
  EXPECT_EQ(StepIndex{3}, StepIndex{3});
  EXPECT_NE(ArmIndex{0}, ArmIndex{1});
  const std::map<Rank, int> by_rank = {{Rank{10}, 10}, {Rank{2}, 2}};
  EXPECT_EQ(by_rank.begin()->second, 2);
}

TEST(Ids, WindowsAndStepsOfALongRunDoNotOverflow) {
  constexpr std::int64_t kPastInt = std::int64_t{std::numeric_limits<int>::max()} + 1;
  EXPECT_GT(WindowIndex{kPastInt}, WindowIndex{kPastInt - 1});
  EXPECT_GT(StepIndex{kPastInt}, StepIndex{0});
}

}  // namespace
}  // namespace traceml
