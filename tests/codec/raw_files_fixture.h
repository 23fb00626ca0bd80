#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/codec/raw_files.h"
#include "harness/core/error.h"
#include "tests/codec/temporary_folder.h"

namespace traceml::testing {

inline constexpr RunId kRun{0x0a1b2c3d4e5f6071};
inline const std::vector<std::string> kArms = {"reference", "shipped", "shipped/none"};

inline WindowRecord window_of(int arm, std::int64_t index) {
  WindowRecord record;
  record.arm = ArmIndex{arm};
  record.block = static_cast<int>(index / 2);
  record.order = static_cast<int>(index % 2);
  record.window = WindowIndex{index};
  record.steps = 48;
  record.start_host = Nanos(7'000'000'000 + index * 1'000'000);
  record.end_host = record.start_host + Nanos(987'654'321);
  record.loss_first = 4.615120516841259;
  record.loss_last = 0.1;
  return record;
}

inline StepRecord step_of(int arm, std::optional<std::int64_t> window, std::int64_t index) {
  StepRecord record;
  record.arm = ArmIndex{arm};
  if (window) record.window = WindowIndex{*window};
  record.step = StepIndex{index};
  record.timed = window.has_value() && index >= 2;
  record.start_host = Nanos(7'000'000'000 + index);
  record.phases[index_of(Phase::kInputWait)] = DualTime{Nanos(1000), std::nullopt};
  record.phases[index_of(Phase::kForward)] = DualTime{Nanos(0), Nanos(3000)};
  record.phases[index_of(Phase::kBackward)] = DualTime{std::nullopt, Nanos(9000)};
  record.phases[index_of(Phase::kTraced)] = DualTime{Nanos(13000), Nanos(12000)};
  return record;
}

inline CollectiveRecord collective_of(std::optional<std::int64_t> window, int bucket) {
  CollectiveRecord record;
  record.arm = ArmIndex{1};
  if (window) record.window = WindowIndex{*window};
  record.step = StepIndex{3};
  record.bucket = bucket;
  record.bytes = 26'214'400;
  record.issue_host = Nanos(5);
  record.arrival = Nanos(6);
  record.start = Nanos(7);
  record.clock = "device";
  return record;
}

class RawFiles : public ::testing::Test {
 protected:
  RankRecords read(bool accept_edited = false) {
    return read_rank_records({folder_.path(), kRun, kArms, accept_edited}, Rank{0}, &warnings_);
  }

  std::string error_of(bool accept_edited = false) {
    try {
      read(accept_edited);
    } catch (const RunError& error) {
      return error.what();
    }
    return "no error";
  }

  // Warm-up, then windows 0 and 1.
  void write_three_groups() {
    RawWriter writer(folder_.path(), kRun, Rank{0}, kArms);
    writer.append({}, {step_of(1, std::nullopt, 0)}, {collective_of(std::nullopt, 0)});
    writer.append({window_of(1, 0)}, {step_of(1, 0, 1), step_of(1, 0, 2)}, {collective_of(0, 0)});
    writer.append({window_of(2, 1)}, {}, {});
  }

  void replace(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = folder_.read(name);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " is not in " << name;
    folder_.write(name, text.replace(at, from.size(), to));
  }

  TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

}  // namespace traceml::testing
