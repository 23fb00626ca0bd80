#include "harness/codec/tidy_csv.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <map>

#include "harness/codec/raw_format.h"
#include "harness/core/phase.h"

namespace traceml {
namespace {

// As 0.001234: exact, where a double would round.
void add_milliseconds(std::string* text, Nanos nanos) {
  constexpr std::int64_t kPerMillisecond = 1'000'000;
  const std::int64_t count = nanos.count();
  fmt::format_to(std::back_inserter(*text), "{}{}.{:06}", count < 0 ? "-" : "",
                 std::abs(count / kPerMillisecond), std::abs(count % kPerMillisecond));
}

class RowWriter {
 public:
  RowWriter(int launch, const RankRecords& records, const std::vector<std::string>& arm_names)
      : opening_(fmt::format("{},{},", launch, records.rank.value)) {
    for (const std::string& name : arm_names) arms_.push_back(csv_field(name));
    for (const WindowRecord& window : records.windows) blocks_[window.window] = window.block;
  }

  void add(const StepRecord& step) {
    std::string place = opening_ + arms_.at(static_cast<std::size_t>(step.arm.value)) + ",";
    if (step.window) {
      const auto block = blocks_.find(*step.window);
      if (block != blocks_.end()) place += std::to_string(block->second);
      place += fmt::format(",{},", step.window->value);
    } else {
      place += ",,";
    }
    place += fmt::format("{},{},", step.step.value, step.timed ? 1 : 0);
    for (const Phase phase : kAllPhases) {
      const auto& time = step.phases[index_of(phase)];
      if (!time) continue;
      add(place, phase, "host", time->host);
      add(place, phase, "device", time->device);
    }
  }

  std::string take() { return std::move(rows_); }

 private:
  void add(const std::string& place, Phase phase, const char* clock,
           const std::optional<Nanos>& value) {
    if (!value) return;
    fmt::format_to(std::back_inserter(rows_), "{}{},{},", place, name_of(phase), clock);
    add_milliseconds(&rows_, *value);
    rows_.push_back('\n');
  }

  std::string opening_;
  std::vector<std::string> arms_;
  std::map<WindowIndex, int> blocks_;
  std::string rows_;
};

}  // namespace

std::string_view tidy_header() {
  return "launch,rank,arm,block,window,step,timed,phase,clock,value_ms\n";
}

std::string tidy_rows(int launch, const RankRecords& records,
                      const std::vector<std::string>& arm_names) {
  RowWriter writer(launch, records, arm_names);
  for (const StepRecord& step : records.steps) writer.add(step);
  return writer.take();
}

}  // namespace traceml
