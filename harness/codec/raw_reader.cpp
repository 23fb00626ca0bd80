#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>

#include "harness/codec/raw_files.h"
#include "harness/codec/raw_plan_check.h"
#include "harness/codec/raw_row.h"
#include "harness/codec/raw_text.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

// 2^60 ns are 36 years: differences of two time points are durations that 64 bits hold.
constexpr WholeRange kTimePoints = {-(1LL << 60), 1LL << 60};
// Sums over a batch; means over all batches of a file still fit.
constexpr WholeRange kDurations = {0, 1LL << 50};
constexpr WholeRange kBatches = {0, 1LL << 60};
constexpr WholeRange kCounts = {0, std::numeric_limits<int>::max()};
constexpr WholeRange kReasonBits = {0, std::numeric_limits<std::int64_t>::max()};
constexpr WholeRange kBytes = {0, 1LL << 60};

std::optional<WindowIndex> optional_window(RawRow* row) {
  const auto value = row->optional_whole(kCounts);
  return value ? std::optional(WindowIndex{*value}) : std::nullopt;
}

class ArmNames {
 public:
  explicit ArmNames(const std::vector<std::string>& names) : names_(names) {}

  ArmIndex of(RawRow* row) {
    const std::string_view name = row->text();
    // Rows of one arm follow each other.
    if (names_.empty() || names_[last_] != name) {
      const auto found = std::find(names_.begin(), names_.end(), name);
      if (found == names_.end()) row->fail("names an arm that run_info.json does not have", name);
      last_ = static_cast<std::size_t>(found - names_.begin());
    }
    return ArmIndex{static_cast<int>(last_)};
  }

 private:
  const std::vector<std::string>& names_;
  std::size_t last_ = 0;
};

void read_row(RawRow* row, ArmNames* arms, WindowRecord* record) {
  record->arm = arms->of(row);
  record->block = row->number();
  record->order = row->number();
  record->window = WindowIndex{row->whole(kCounts)};
  record->steps = row->whole(kCounts);
  record->start_host = row->nanos(kTimePoints);
  record->end_host = row->nanos(kTimePoints);
  record->queue_start = row->optional_whole(kCounts);
  record->queue_end = row->optional_whole(kCounts);
  record->loss_first = row->optional_decimal();
  record->loss_last = row->optional_decimal();
  record->void_reason = row->text();
}

void read_row(RawRow* row, ArmNames* arms, StepRecord* record) {
  record->arm = arms->of(row);
  record->window = optional_window(row);
  record->step = StepIndex{row->whole(kCounts)};
  record->timed = row->whole({0, 1}) == 1;
  record->start_host = row->nanos(kTimePoints);
  for (auto& phase : record->phases) phase = row->dual_time();
  record->allocated_peak_bytes = row->optional_whole(kBytes);
  record->reserved_peak_bytes = row->optional_whole(kBytes);
}

void read_row(RawRow* row, ArmNames* arms, CollectiveRecord* record) {
  record->arm = arms->of(row);
  record->window = optional_window(row);
  record->step = StepIndex{row->whole(kCounts)};
  record->bucket = row->number();
  record->bytes = row->whole(kBytes);
  record->issue_host = row->nanos(kTimePoints);
  record->arrival = row->optional_nanos(kTimePoints);
  record->start = row->optional_nanos(kTimePoints);
  record->end = row->optional_nanos(kTimePoints);
  record->clock = row->text();
}

void read_row(RawRow* row, ArmNames* arms, InputRecord* record) {
  record->arm = arms->of(row);
  record->window = optional_window(row);
  record->step = StepIndex{row->whole(kCounts)};
  record->batch = row->whole(kBatches);
  for (Nanos* point : {&record->begun, &record->ready, &record->asked, &record->taken}) {
    *point = row->nanos(kTimePoints);
  }
  record->released = row->optional_nanos(kTimePoints);
  for (Nanos* sum : {&record->read, &record->decode, &record->resize}) {
    *sum = row->nanos(kDurations);
  }
  record->cpu = row->optional_nanos(kDurations);
  record->slot_wait = row->nanos(kDurations);
  record->queue_depth = row->optional_whole(kCounts);
  record->slowest_file = row->text();
  record->slowest = row->nanos(kDurations);
  record->copy = row->optional_nanos(kDurations);
  if (row->has_last_column("engine_wait_ns")) record->engine_wait = row->optional_nanos(kDurations);
}

template <typename Value>
std::optional<Value> optional_of(RawRow* row, WholeRange range) {
  const auto value = row->optional_whole(range);
  return value ? std::optional(static_cast<Value>(*value)) : std::nullopt;
}

// Names no arm: that of its window.
void read_row(RawRow* row, ArmNames* /*arms*/, DeviceRecord* record) {
  constexpr WholeRange kTemperatures = {-273, 1000};
  record->window = WindowIndex{row->whole(kCounts)};
  const std::string_view when = row->text();
  if (when != kBeforeWord && when != kAfterWord) row->fail("is neither before nor after", when);
  record->when = when == kBeforeWord ? DeviceWhen::kBefore : DeviceWhen::kAfter;
  record->sm_clock_mhz = optional_of<int>(row, kCounts);
  record->memory_clock_mhz = optional_of<int>(row, kCounts);
  record->power_w = row->optional_decimal();
  if (record->power_w && !std::isfinite(*record->power_w)) row->fail("is not finite");
  record->temperature_c = optional_of<int>(row, kTemperatures);
  record->throttle_reasons = optional_of<std::uint64_t>(row, kReasonBits);
  record->other_processes = optional_of<int>(row, kCounts);
}

template <typename Record>
std::vector<Record> read_rows(const RawText& raw, std::size_t groups,
                              const std::vector<std::string>& arm_names) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < groups; ++i) total += raw.groups[i].rows;
  std::vector<Record> records;
  records.reserve(static_cast<std::size_t>(total));
  ArmNames arms(arm_names);
  for (std::size_t i = 0; i < groups; ++i) {
    const RawGroup& group = raw.groups[i];
    std::string_view text(raw.text.data() + group.begin, group.end - group.begin);
    for (std::int64_t line = group.first_line; !text.empty(); ++line) {
      const std::size_t end = text.find('\n');
      RawRow row(raw, raw.header, line, text.substr(0, end));
      read_row(&row, &arms, &records.emplace_back());
      row.finish();
      text.remove_prefix(end + 1);
    }
  }
  return records;
}

std::string missing_words(RawFile file, Rank rank) {
  if (file == RawFile::kCollectives) return " is missing: nothing is said of its all-reduces";
  return fmt::format(" is missing: nothing of rank {} counts", rank.value);
}

}  // namespace

RankRecords read_rank_records(const RawFolder& folder, Rank rank,
                              std::vector<std::string>* warnings) {
  std::array<RawText, kRawFiles.size()> texts;
  std::size_t groups = std::numeric_limits<std::size_t>::max();
  for (const RawFile file : kRawFiles) {
    const std::string name = raw_file_name(file, rank);
    if (!std::filesystem::exists(folder.path + "/" + name)) {
      if (may_be_absent(file)) continue;
      warnings->push_back(name + missing_words(file, rank));
      if (file == RawFile::kCollectives) continue;
      return {rank, {}, {}, {}};
    }
    RawText& text = texts[index_of(file)];
    text = read_raw_text(
        folder.path, name,
        {raw_header(file), raw_identity(folder.run, rank, file), older_raw_header(file)},
        folder.accept_edited, warnings);
    groups = std::min(groups, text.groups.size());
  }
  // Each append closes one group in each file: what one file lacks is left out of all.
  for (const RawText& raw : texts) {
    if (raw.groups.size() <= groups) continue;
    warnings->push_back(fmt::format(
        "{}: its last {} of {} checksummed groups are missing in another file of rank {}; left out",
        raw.name, raw.groups.size() - groups, raw.groups.size(), rank.value));
  }
  const auto& [windows, steps, collectives, devices, inputs] = texts;
  const std::vector<std::string>& arms = folder.arm_names;
  RankRecords records{rank,
                      read_rows<WindowRecord>(windows, groups, arms),
                      read_rows<StepRecord>(steps, groups, arms),
                      {}};
  if (!collectives.groups.empty()) {
    records.collectives = read_rows<CollectiveRecord>(collectives, groups, arms);
  }
  if (!devices.groups.empty()) {
    records.devices = read_rows<DeviceRecord>(devices, groups, arms);
  }
  if (!inputs.groups.empty()) {
    records.inputs = read_rows<InputRecord>(inputs, groups, arms);
  }
  return records;
}

std::vector<RankRecords> read_run_records(const RawFolder& folder, const CampaignFacts& facts,
                                          std::vector<std::string>* warnings) {
  std::vector<RankRecords> ranks;
  for (const Rank rank : ranks_in(folder.path)) {
    const std::string file = folder.path + "/" + raw_file_name(RawFile::kWindows, rank);
    if (rank.value >= facts.world_size) {
      throw RunError(fmt::format("{} belongs to another run: this one had {} {}", file,
                                 facts.world_size, facts.world_size == 1 ? "rank" : "ranks"));
    }
    const std::string input = raw_file_name(RawFile::kInput, rank);
    if (keeps_inputs(facts) && !std::filesystem::exists(folder.path + "/" + input)) {
      warnings->push_back(input + " is missing: nothing is said of where its loader's time went");
    }
    ranks.push_back(read_rank_records(folder, rank, warnings));
    check_against_plan(facts, ranks.back(), folder.path);
  }
  return ranks;
}

std::vector<Rank> ranks_in(const std::string& dir) {
  std::error_code error;
  std::vector<Rank> ranks;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t digits = name.find_first_of("0123456789");
    if (digits == std::string::npos) continue;
    int value = 0;
    std::from_chars(name.data() + digits, name.data() + name.size(), value);
    if (name == raw_file_name(RawFile::kWindows, Rank{value})) ranks.push_back(Rank{value});
  }
  if (error) throw RunError(fmt::format("cannot read folder {}: {}", dir, error.message()));
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace traceml
