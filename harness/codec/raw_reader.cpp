#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "harness/codec/raw_files.h"
#include "harness/codec/raw_plan_check.h"
#include "harness/codec/raw_text.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

// The fields of one line, from left to right. Errors name file, line and column.
class Row {
 public:
  Row(const RawText& raw, RawFile file, std::int64_t line, std::string_view text)
      : raw_(raw), file_(file), line_(line), rest_(text) {}

  std::string_view text() {
    ++column_;
    if (done_) fail("is missing");
    if (!rest_.empty() && rest_.front() == '"') return quoted();
    const std::size_t comma = rest_.find(',');
    const std::string_view field = rest_.substr(0, comma);
    advance(comma);
    return field;
  }

  template <typename T>
  std::optional<T> optional_number() {
    const std::string_view field = text();
    if (field.empty()) return std::nullopt;
    T value{};
    const char* end = field.data() + field.size();
    const auto [stopped, error] = std::from_chars(field.data(), end, value);
    if (error != std::errc{} || stopped != end) fail("is no number", field);
    return value;
  }

  template <typename T>
  T number() {
    const std::optional<T> value = optional_number<T>();
    if (!value) fail("is empty");
    return *value;
  }

  Nanos nanos() { return Nanos(number<std::int64_t>()); }

  std::optional<Nanos> optional_nanos() {
    const auto value = optional_number<std::int64_t>();
    return value ? std::optional(Nanos(*value)) : std::nullopt;
  }

  std::optional<WindowIndex> optional_window() {
    const auto value = optional_number<std::int64_t>();
    return value ? std::optional(WindowIndex{*value}) : std::nullopt;
  }

  // Two fields: a phase on the two clocks.
  std::optional<DualTime> dual_time() {
    if (rest_.starts_with(kUntimed)) {
      ++column_;
      advance(rest_.find(','));
      if (optional_nanos()) fail("follows a phase without a time");
      return DualTime{};
    }
    const DualTime time{optional_nanos(), optional_nanos()};
    return time.host || time.device ? std::optional(time) : std::nullopt;
  }

  void finish() {
    if (!done_) {
      throw RunError(fmt::format("{}:{}: more fields than columns", raw_.path, line_));
    }
  }

  [[noreturn]] void fail(std::string_view what, std::string_view field = {}) const {
    std::string_view names = raw_header(file_);
    for (int i = 1; i < column_; ++i) names.remove_prefix(names.find(',') + 1);
    throw RunError(fmt::format("{}:{}: column {}{} {}", raw_.path, line_,
                               names.substr(0, names.find(',')),
                               field.empty() ? "" : fmt::format(" '{}'", field), what));
  }

 private:
  std::string_view quoted() {
    unquoted_.clear();
    rest_.remove_prefix(1);
    for (;;) {
      const std::size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) fail("has no closing quote");
      unquoted_.append(rest_.substr(0, quote));
      rest_.remove_prefix(quote + 1);
      if (rest_.empty() || rest_.front() != '"') break;
      unquoted_.push_back('"');
      rest_.remove_prefix(1);
    }
    if (!rest_.empty() && rest_.front() != ',') fail("goes on after its closing quote");
    advance(rest_.empty() ? std::string_view::npos : 0);
    return unquoted_;
  }

  void advance(std::size_t comma) {
    done_ = comma == std::string_view::npos;
    rest_.remove_prefix(done_ ? rest_.size() : comma + 1);
  }

  const RawText& raw_;
  RawFile file_;
  std::int64_t line_;
  std::string_view rest_;
  std::string unquoted_;
  int column_ = 0;
  bool done_ = false;
};

class ArmNames {
 public:
  explicit ArmNames(const std::vector<std::string>& names) : names_(names) {}

  ArmIndex of(Row* row) {
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

void read_row(Row* row, ArmNames* arms, WindowRecord* record) {
  record->arm = arms->of(row);
  record->block = row->number<int>();
  record->order = row->number<int>();
  record->window = WindowIndex{row->number<std::int64_t>()};
  record->steps = row->number<std::int64_t>();
  record->start_host = row->nanos();
  record->end_host = row->nanos();
  record->queue_start = row->optional_number<std::int64_t>();
  record->queue_end = row->optional_number<std::int64_t>();
  record->loss_first = row->optional_number<double>();
  record->loss_last = row->optional_number<double>();
  record->void_reason = row->text();
}

void read_row(Row* row, ArmNames* arms, StepRecord* record) {
  record->arm = arms->of(row);
  record->window = row->optional_window();
  record->step = StepIndex{row->number<std::int64_t>()};
  const int timed = row->number<int>();
  if (timed != 0 && timed != 1) row->fail("is neither 0 nor 1");
  record->timed = timed == 1;
  record->start_host = row->nanos();
  for (auto& phase : record->phases) phase = row->dual_time();
  record->allocated_peak_bytes = row->optional_number<std::int64_t>();
  record->reserved_peak_bytes = row->optional_number<std::int64_t>();
}

void read_row(Row* row, ArmNames* arms, CollectiveRecord* record) {
  record->arm = arms->of(row);
  record->window = row->optional_window();
  record->step = StepIndex{row->number<std::int64_t>()};
  record->bucket = row->number<int>();
  record->bytes = row->number<std::int64_t>();
  record->issue_host = row->nanos();
  record->arrival = row->optional_nanos();
  record->start = row->optional_nanos();
  record->end = row->optional_nanos();
  record->clock = row->text();
}

template <typename Record>
std::vector<Record> read_rows(const RawText& raw, RawFile file, std::size_t groups,
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
      Row row(raw, file, line, text.substr(0, end));
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
      warnings->push_back(name + missing_words(file, rank));
      if (file == RawFile::kCollectives) continue;
      return {rank, {}, {}, {}};
    }
    RawText& text = texts[index_of(file)];
    text =
        read_raw_text(folder.path, name, {raw_header(file), raw_identity(folder.run, rank, file)},
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
  const auto& [windows, steps, collectives] = texts;
  const std::vector<std::string>& arms = folder.arm_names;
  RankRecords records{rank,
                      read_rows<WindowRecord>(windows, RawFile::kWindows, groups, arms),
                      read_rows<StepRecord>(steps, RawFile::kSteps, groups, arms),
                      {}};
  if (!collectives.groups.empty()) {
    records.collectives =
        read_rows<CollectiveRecord>(collectives, RawFile::kCollectives, groups, arms);
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
