#include "harness/codec/own_trace_facts.h"

#include <array>

#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

struct TextField {
  std::string_view key;
  std::string OwnTraceFacts::*member;
};

struct NumberField {
  std::string_view key;
  std::int64_t OwnTraceFacts::*member;
};

constexpr std::array<TextField, 5> kTexts = {{{"arm", &OwnTraceFacts::arm},
                                              {"collector", &OwnTraceFacts::collector},
                                              {"asked", &OwnTraceFacts::asked},
                                              {"seen", &OwnTraceFacts::seen},
                                              {"absent", &OwnTraceFacts::absent}}};

constexpr std::array<NumberField, 12> kNumbers = {
    {{"cycle", &OwnTraceFacts::cycle},
     {"first_step", &OwnTraceFacts::first_step},
     {"queue_capacity", &OwnTraceFacts::queue_capacity},
     {"dropped_records", &OwnTraceFacts::dropped_records},
     {"full_buffers", &OwnTraceFacts::full_buffers},
     {"buffer_bytes", &OwnTraceFacts::buffer_bytes},
     {"without_times", &OwnTraceFacts::without_times},
     {"before_launch", &OwnTraceFacts::before_launch},
     {"clock_drift_ns", &OwnTraceFacts::clock_drift_ns},
     {"clock_error_ns", &OwnTraceFacts::clock_error_ns},
     {"operators", &OwnTraceFacts::operators},
     {"dropped_operators", &OwnTraceFacts::dropped_operators}}};

// What a stranger's header holds must leave room to be summed: 2^55 ns are a year, 2^55 bytes more
// than any job writes.
constexpr std::int64_t kMost = std::int64_t{1} << 55;

bool is_sane(std::string_view key, std::int64_t number) {
  return number <= kMost && number >= (key == "clock_drift_ns" ? -kMost : 0);
}

// What is kept of each phase: "event_forward_ns", "graph_forward_node".
struct PhaseField {
  std::string_view before, after;
  std::array<std::optional<std::int64_t>, kPhaseCount> OwnTraceFacts::*member;

  std::string key(Phase phase) const {
    return std::string(before) + std::string(name_of(phase)) + std::string(after);
  }
};

constexpr std::array<PhaseField, 2> kPhaseFields = {
    {{"event_", "_ns", &OwnTraceFacts::event_ns},
     {"graph_", "_node", &OwnTraceFacts::graph_nodes_before}}};

}  // namespace

void set_own_text(std::string_view key, std::string_view text, OwnTraceFacts* facts) {
  for (const TextField& field : kTexts) {
    if (field.key == key) facts->*field.member = without_folders(text);
  }
}

void set_own_number(std::string_view key, std::int64_t number, OwnTraceFacts* facts) {
  if (!is_sane(key, number)) return;
  for (const NumberField& field : kNumbers) {
    if (field.key == key) facts->*field.member = number;
  }
  for (const PhaseField& field : kPhaseFields) {
    for (const Phase phase : kAllPhases) {
      if (key == field.key(phase)) (facts->*field.member)[index_of(phase)] = number;
    }
  }
}

std::vector<std::pair<std::string, std::string>> own_texts(const OwnTraceFacts& facts) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const TextField& field : kTexts) texts.emplace_back(field.key, facts.*field.member);
  return texts;
}

std::vector<std::pair<std::string, std::int64_t>> own_numbers(const OwnTraceFacts& facts) {
  std::vector<std::pair<std::string, std::int64_t>> numbers;
  for (const NumberField& field : kNumbers) numbers.emplace_back(field.key, facts.*field.member);
  for (const PhaseField& field : kPhaseFields) {
    for (const Phase phase : kAllPhases) {
      const auto& number = (facts.*field.member)[index_of(phase)];
      if (number) numbers.emplace_back(field.key(phase), *number);
    }
  }
  return numbers;
}

}  // namespace traceml
