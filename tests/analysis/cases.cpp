// Runs every case of the two-clock contract in a folder: `cases DIR`. A *.json file holds a list of
// cases; a case with `rows` is one of a window, one with `baseline` and `candidate` a comparison.
// Exit code 1 on a mismatch, 2 if the folder holds no case.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "harness/analysis/common_clock.h"
#include "harness/analysis/window.h"

namespace traceml {
namespace {

using Json = nlohmann::json;
using Mismatches = std::vector<std::string>;

// Nanos per unit of time of a case: fine enough that rounding stays below the tolerance.
constexpr double kTicks = 1e9;
constexpr double kTolerance = 1e-6;

std::string show(const std::optional<double>& value) {
  return value ? Json(*value).dump() : "null";
}

// What is given and is no time (a string, a boolean, not finite, negative) is no measurement.
std::optional<Nanos> time_in(const Json& call, const char* clock) {
  if (!call.is_object() || !call.contains(clock) || !call[clock].is_number()) return std::nullopt;
  const double ticks = call[clock].get<double>() * kTicks;
  if (!(ticks >= 0 && ticks < 9e18)) return std::nullopt;
  return Nanos(std::llround(ticks));
}

std::optional<Nanos> sum_of(const std::optional<Nanos>& a, const std::optional<Nanos>& b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

// A phase is one call or a list of calls, summed per clock.
std::optional<DualTime> phase_in(const Json& phase) {
  if (phase.is_null()) return std::nullopt;
  if (!phase.is_array()) return DualTime{time_in(phase, "cpu"), time_in(phase, "gpu")};
  std::optional<DualTime> total;
  for (const Json& call : phase) {
    const DualTime time{time_in(call, "cpu"), time_in(call, "gpu")};
    total =
        total ? DualTime{sum_of(total->host, time.host), sum_of(total->device, time.device)} : time;
  }
  return total;
}

StepRecord record_in(const Json& row) {
  StepRecord record;
  record.window = WindowIndex{};
  record.step = StepIndex{row.at("step").get<std::int64_t>()};
  record.timed = true;
  for (const auto& [name, times] : row.at("phases").items()) {
    const std::optional<Phase> phase = phase_named(name);
    if (!phase) throw std::runtime_error("unknown phase " + name);
    record.phases[index_of(*phase)] = phase_in(times);
  }
  return record;
}

WindowFigures window_in(const Json& c) {
  std::deque<StepRecord> records;
  std::map<int, RankRows> ranks;
  for (const Json& row : c.at("rows")) {
    records.push_back(record_in(row));
    const int rank = row.at("rank").get<int>();
    ranks[rank].rank = Rank{rank};
    ranks[rank].rows.push_back(&records.back());
  }
  std::vector<RankRows> rows;
  std::vector<Rank> expected;
  for (auto& [rank, own] : ranks) {
    rows.push_back(std::move(own));
    if (!c.contains("expected_ranks")) expected.push_back({rank});
  }
  if (c.contains("expected_ranks")) {
    for (const Json& rank : c["expected_ranks"]) expected.push_back({rank.get<int>()});
  }
  return analyze_window(expected, std::move(rows));
}

std::optional<double> in_units(const std::optional<Millis>& time) {
  if (!time) return std::nullopt;
  return time->count() * 1e6 / kTicks;
}

void compare(const std::string& what, const Json& expected, const std::optional<double>& got,
             Mismatches& mismatches) {
  const bool same = expected.is_number()
                        ? got && std::abs(*got - expected.get<double>()) <=
                                     kTolerance * std::max(1.0, std::abs(expected.get<double>()))
                        : expected.is_null() && !got;
  if (!same) mismatches.push_back(what + ": expected " + expected.dump() + ", got " + show(got));
}

void compare_text(const std::string& what, const Json& expected, const Json& got,
                  Mismatches& mismatches) {
  if (expected == got) return;
  mismatches.push_back(what + ": expected " + expected.dump() + ", got " + got.dump());
}

// One expected figure of a rank or of all ranks, by its name in the case. False: no such figure.
bool figure_in(const StepFigures& figures, Clock clock, const std::string& name,
               std::optional<double>& value) {
  if (name == "step") {
    value = in_units(step_of(figures, clock));
  } else if (name == "step_cpu" || name == "step_gpu") {
    value = in_units(name == "step_cpu" ? figures.step_cpu : figures.step_gpu);
  } else if (name == "compute") {
    value = in_units(figures.compute);
  } else if (name == "residual") {
    value = in_units(figures.residual);
  } else if (name == "residual_clamped_steps") {
    if (figures.residual) value = static_cast<double>(figures.residual_clamped_steps);
  } else if (const std::optional<Phase> phase = phase_named(name)) {
    value = in_units(figure_of(figures, *phase, clock));
  } else {
    return false;
  }
  return true;
}

void compare_figures(const std::string& who, const Json& expected, const StepFigures* figures,
                     Clock clock, Mismatches& mismatches) {
  if (expected.is_null()) {
    if (figures) mismatches.push_back(who + ": expected null, got figures");
    return;
  }
  for (const auto& [name, value] : expected.items()) {
    std::optional<double> got;
    if (figures && !figure_in(*figures, clock, name, got)) {
      mismatches.push_back(who + ": unknown figure " + name);
    } else {
      compare(who + " " + name, value, got, mismatches);
    }
  }
}

const RankWindow* rank_in(const WindowFigures& window, const std::string& rank) {
  const auto found =
      std::find_if(window.ranks.begin(), window.ranks.end(),
                   [&](const RankWindow& own) { return std::to_string(own.rank.value) == rank; });
  return found == window.ranks.end() || window.steps.empty() ? nullptr : &*found;
}

Json gaps_of(const WindowFigures& window) {
  Json steps = Json::array();
  for (const StepGap& gap : window.gaps) {
    for (std::int64_t step = gap.first.value; step <= gap.last.value; ++step) steps.push_back(step);
  }
  return steps;
}

Mismatches run_window(const Json& c) {
  const WindowFigures window = window_in(c);
  Mismatches mismatches;
  Json missing = Json::array(), steps = Json::array(), coverage = Json::object();
  for (const Rank rank : window.missing) missing.push_back(rank.value);
  for (const StepKey& key : window.steps) steps.push_back(key.step.value);
  for (const RankWindow& rank : window.ranks) {
    coverage[std::to_string(rank.rank.value)] = coverage_of(window, rank);
  }
  for (const auto& [name, expected] : c.at("expect").items()) {
    if (name == "ranks_missing") {
      compare_text(name, expected, missing, mismatches);
    } else if (name == "steps") {
      compare_text(name, expected, steps, mismatches);
    } else if (name == "gaps") {
      compare_text(name, expected, gaps_of(window), mismatches);
    } else if (name == "clock") {
      compare_text(name, expected, name_of(window.clock), mismatches);
    } else if (name == "gpu_coverage") {
      compare_text(name, expected, coverage, mismatches);
    } else if (name == "clock_why") {
      compare_text(name, expected, window.clock_why, mismatches);
    } else if (name == "global") {
      compare_figures(name, expected, &window.global, window.clock, mismatches);
    } else if (name == "ranks") {
      for (const auto& [rank, figures] : expected.items()) {
        const RankWindow* own = rank_in(window, rank);
        compare_figures("rank " + rank, figures, own ? &own->figures : nullptr, window.clock,
                        mismatches);
      }
    } else {
      mismatches.push_back("unknown expectation " + name);
    }
  }
  return mismatches;
}

std::optional<double> step_in(const Json& side, const char* name) {
  if (!side.contains(name) || side[name].is_null()) return std::nullopt;
  if (!side[name].is_number()) return std::numeric_limits<double>::quiet_NaN();
  return side[name].get<double>();
}

ClockSide side_in(const Json& side) {
  ClockSide result;
  const std::string clock =
      side.contains("clock") && side["clock"].is_string() ? side["clock"] : "";
  if (clock == "cpu") result.selected = Clock::kCpu;
  if (clock == "gpu") result.selected = Clock::kGpu;
  result.step_cpu = step_in(side, "step_cpu");
  result.step_gpu = step_in(side, "step_gpu");
  return result;
}

Mismatches run_compare(const Json& c) {
  const ClockComparison result =
      compare_on_common_clock(side_in(c.at("baseline")), side_in(c.at("candidate")));
  Mismatches mismatches;
  for (const auto& [name, expected] : c.at("expect").items()) {
    if (name == "clock") {
      compare_text(name, expected, result.clock ? Json(name_of(*result.clock)) : Json(),
                   mismatches);
    } else if (name == "ratio") {
      compare(name, expected, result.ratio, mismatches);
    } else if (name == "outcome") {
      compare_text(name, expected, name_of(result.outcome), mismatches);
    } else if (name == "reason") {
      compare_text(name, expected, name_of(result.reason), mismatches);
    } else if (name == "phases_comparable") {
      compare_text(name, expected, result.phases_comparable, mismatches);
    } else {
      mismatches.push_back("unknown expectation " + name);
    }
  }
  return mismatches;
}

// Writers of cases may leave NaN and Infinity bare, which JSON does not know: they become strings.
std::string quote_nonfinite(const std::string& text) {
  std::string quoted;
  bool inside = false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    if (inside && text[i] == '\\') {
      length = 2;
    } else if (text[i] == '"') {
      inside = !inside;
    } else if (!inside) {
      for (const std::string token : {"NaN", "Infinity", "-Infinity"}) {
        if (text.compare(i, token.size(), token) == 0) length = token.size();
      }
    }
    const std::string piece = text.substr(i, length);
    quoted += !inside && length > 1 ? '"' + piece + '"' : piece;
    i += length;
  }
  return quoted;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The cases of a file; a file that is no JSON counts as one failed case.
Json cases_in(const std::filesystem::path& file) {
  const Json content = Json::parse(quote_nonfinite(text_of(file)), nullptr, false);
  if (content.is_discarded()) return Json::array({Json{{"name", "the file is no JSON"}}});
  if (content.is_object() && content.contains("cases")) return content["cases"];
  return content.is_array() ? content : Json::array();
}

Mismatches run_case(const Json& c) {
  try {
    if (c.contains("rows")) return run_window(c);
    if (c.contains("baseline") && c.contains("candidate")) return run_compare(c);
    return {"neither a window nor a comparison"};
  } catch (const std::exception& error) {
    return {error.what()};
  }
}

int run_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  int cases = 0, failed = 0;
  for (const auto& file : files) {
    for (const Json& c : cases_in(file)) {
      const Mismatches mismatches = run_case(c);
      const std::string name = c.is_object() ? c.value("name", "unnamed") : "unnamed";
      std::cout << (mismatches.empty() ? "ok    " : "FAIL  ") << file.filename().string() << ": "
                << name << "\n";
      for (const std::string& mismatch : mismatches) std::cout << "        " << mismatch << "\n";
      ++cases;
      failed += !mismatches.empty();
    }
  }
  std::cout << cases << " cases, " << failed << " failed\n";
  if (cases == 0) return 2;
  return failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace traceml

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: cases DIR\n";
    return 2;
  }
  try {
    return traceml::run_folder(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << argv[1] << ": " << error.what() << "\n";
    return 2;
  }
}
