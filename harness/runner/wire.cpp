#include "harness/runner/wire.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <iterator>
#include <sstream>

#include "harness/core/error.h"

namespace traceml {
namespace {

constexpr const char* kNull = "-";

std::string field(const std::optional<std::int64_t>& value) {
  return value ? fmt::format("{}", *value) : kNull;
}

// The bits, so that infinities and NaN come back as they were.
std::string field(const std::optional<double>& value) {
  return value ? fmt::format("{}", std::bit_cast<std::uint64_t>(*value)) : kNull;
}

class LineReader {
 public:
  explicit LineReader(const std::string& line) : line_(line), stream_(line) {}

  template <class Number>
  Number number() {
    Number value{};
    if (!(stream_ >> value)) malformed();
    return value;
  }

  template <class Number>
  std::optional<Number> optional_number() {
    std::string word;
    if (!(stream_ >> word)) malformed();
    if (word == kNull) return std::nullopt;
    Number value{};
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) malformed();
    return value;
  }

  std::optional<double> optional_double() {
    const auto bits = optional_number<std::uint64_t>();
    return bits ? std::optional(std::bit_cast<double>(*bits)) : std::nullopt;
  }

  std::string word() {
    std::string value;
    if (!(stream_ >> value)) malformed();
    return value;
  }

  // What follows the next space.
  std::string rest() {
    std::string value;
    if (stream_.peek() == ' ') stream_.get();
    std::getline(stream_, value);
    return value;
  }

  bool more() { return (stream_ >> std::ws).good(); }

 private:
  [[noreturn]] void malformed() const {
    throw RunError(fmt::format(
        "a message between ranks cannot be read (\"{}\"); do all ranks run the same build?",
        line_));
  }

  std::string line_;
  std::istringstream stream_;
};

}  // namespace

std::string encode_windows(const std::vector<WindowRecord>& windows) {
  std::string text;
  for (const WindowRecord& w : windows) {
    text += fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}\n", w.arm.value, w.block, w.order,
                        w.window.value, w.steps, w.start_host.count(), w.end_host.count(),
                        field(w.queue_start), field(w.queue_end), field(w.loss_first),
                        field(w.loss_last), w.void_reason);
  }
  return text;
}

std::vector<WindowRecord> decode_windows(const std::string& text) {
  std::vector<WindowRecord> windows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    LineReader reader(line);
    WindowRecord w;
    w.arm.value = reader.number<int>();
    w.block = reader.number<int>();
    w.order = reader.number<int>();
    w.window.value = reader.number<std::int64_t>();
    w.steps = reader.number<std::int64_t>();
    w.start_host = Nanos(reader.number<std::int64_t>());
    w.end_host = Nanos(reader.number<std::int64_t>());
    w.queue_start = reader.optional_number<std::int64_t>();
    w.queue_end = reader.optional_number<std::int64_t>();
    w.loss_first = reader.optional_double();
    w.loss_last = reader.optional_double();
    w.void_reason = reader.rest();
    windows.push_back(w);
  }
  return windows;
}

// A line holds the steps of a window: arm, window, then step, host and device nanoseconds of each.
std::string encode_step_times(const std::vector<StepTime>& steps) {
  const auto nanos = [](const std::optional<Nanos>& time) {
    return field(time ? std::optional<std::int64_t>(time->count()) : std::nullopt);
  };
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepTime& step = steps[i];
    const bool same =
        i > 0 && steps[i - 1].arm == step.arm && steps[i - 1].key.window == step.key.window;
    if (!same) {
      text += fmt::format("{}{} {}", i > 0 ? "\n" : "", step.arm.value, step.key.window.value);
    }
    fmt::format_to(std::back_inserter(text), " {} {} {}", step.key.step.value, nanos(step.host),
                   nanos(step.device));
  }
  return text;
}

std::vector<StepTime> decode_step_times(const std::string& text) {
  const auto nanos = [](LineReader& reader) {
    const auto count = reader.optional_number<std::int64_t>();
    return count ? std::optional(Nanos(*count)) : std::nullopt;
  };
  std::vector<StepTime> steps;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    LineReader reader(line);
    const ArmIndex arm{reader.number<int>()};
    const WindowIndex window{reader.number<std::int64_t>()};
    while (reader.more()) {
      const StepIndex step{reader.number<std::int64_t>()};
      const std::optional<Nanos> host = nanos(reader);
      steps.push_back({arm, {window, step}, host, nanos(reader)});
    }
  }
  return steps;
}

std::string encode_decision(const BlockDecision& decision) {
  std::string text = decision.stop ? "stop" : "go";
  for (const ArmIndex arm : decision.arms) text += fmt::format(" {}", arm.value);
  return text + "\n" + decision.failure;
}

BlockDecision decode_decision(const std::string& text) {
  const auto newline = text.find('\n');
  LineReader reader(text.substr(0, newline));
  BlockDecision decision;
  decision.stop = reader.word() == "stop";
  while (reader.more()) decision.arms.push_back(ArmIndex{reader.number<int>()});
  if (newline != std::string::npos) decision.failure = text.substr(newline + 1);
  return decision;
}

std::string encode_counters(const std::map<std::string, std::int64_t>& counters) {
  std::string text;
  for (const auto& [name, value] : counters) text += fmt::format("{} {}\n", name, value);
  return text;
}

std::map<std::string, std::int64_t> decode_counters(const std::string& text) {
  std::map<std::string, std::int64_t> counters;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    LineReader reader(line);
    const std::string name = reader.word();
    counters[name] = reader.number<std::int64_t>();
  }
  return counters;
}

}  // namespace traceml
