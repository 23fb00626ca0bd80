#include "harness/analysis/sweep_answer.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>

namespace traceml {

namespace {

bool is_as_fast(Standing standing) {
  return standing == Standing::kBest || standing == Standing::kTied;
}

// "2", "0.5", "5%"; null for other texts.
std::optional<double> number_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string rest(end);
  if (end == text.c_str() || !(rest.empty() || rest == "%")) return std::nullopt;
  return value;
}

std::optional<std::size_t> knob_of(const SweepSpec& sweep) {
  for (std::size_t key = 0; key < sweep.keys.size(); ++key) {
    std::set<std::string> values;
    for (const SweepSetting& setting : sweep.settings) values.insert(setting.values[key]);
    if (values.size() == sweep.settings.size()) return key;
  }
  return std::nullopt;
}

// `order` ascends by value.
void find_knee(const std::vector<Standing>& standings, SweepCurve* curve) {
  const std::vector<std::size_t>& order = curve->order;
  const std::size_t last = order.size() - 1;
  if (standings[order[last]] == Standing::kBest && standings[order[last - 1]] == Standing::kWorse) {
    curve->knee = Knee::kBeyond;
    return;
  }
  bool open = false;
  for (const std::size_t setting : order) {
    open = open || standings[setting] == Standing::kUnresolved;
    if (!is_as_fast(standings[setting])) continue;
    curve->knee = open ? Knee::kOpen : Knee::kFound;
    curve->at = setting;
    return;
  }
}

}  // namespace

std::string_view name_of(Standing standing) {
  switch (standing) {
    case Standing::kBest:
      return "best";
    case Standing::kTied:
      return "tied";
    case Standing::kWorse:
      return "worse";
    case Standing::kUnresolved:
      break;
  }
  return "unresolved";
}

std::string_view name_of(Limit limit) {
  switch (limit) {
    case Limit::kInput:
      return "input";
    case Limit::kElsewhere:
      return "elsewhere";
    case Limit::kNothing:
      break;
  }
  return "nothing";
}

std::string_view name_of(Knee knee) {
  switch (knee) {
    case Knee::kFound:
      return "found";
    case Knee::kOpen:
      return "open";
    case Knee::kBeyond:
      return "beyond";
    case Knee::kNone:
      break;
  }
  return "none";
}

CheapestSetting cheapest_setting(const SweepSpec& sweep, const std::vector<Standing>& standings) {
  std::vector<std::size_t> by_cost(sweep.settings.size());
  std::iota(by_cost.begin(), by_cost.end(), std::size_t{0});
  std::sort(by_cost.begin(), by_cost.end(), [&](std::size_t one, std::size_t other) {
    return sweep.settings[one].cost_rank < sweep.settings[other].cost_rank;
  });
  CheapestSetting result;
  for (const std::size_t setting : by_cost) {
    if (is_as_fast(standings[setting])) {
      result.cheapest = setting;
      break;
    }
    if (standings[setting] == Standing::kUnresolved) result.open.push_back(setting);
  }
  return result;
}

std::optional<SweepCurve> curve_of(const SweepSpec& sweep, const std::vector<Standing>& standings) {
  const auto key = knob_of(sweep);
  if (!key) return std::nullopt;
  SweepCurve curve;
  curve.key = *key;
  curve.order.resize(sweep.settings.size());
  std::iota(curve.order.begin(), curve.order.end(), std::size_t{0});
  std::vector<std::optional<double>> values;
  for (const SweepSetting& setting : sweep.settings) {
    values.push_back(number_in(setting.values[*key]));
  }
  const bool numbers = std::all_of(values.begin(), values.end(),
                                   [](const auto& value) { return value.has_value(); });
  if (!numbers) return curve;
  std::stable_sort(curve.order.begin(), curve.order.end(), [&](std::size_t one, std::size_t other) {
    return *values[one] < *values[other];
  });
  find_knee(standings, &curve);
  return curve;
}

Limit limit_of(double fraction, double wait_share, double reference_wait_share, double delta) {
  const double lacks = 1 - fraction;
  if (lacks <= 1 - 1 / (1 + delta)) return Limit::kNothing;
  return wait_share - reference_wait_share >= lacks / 2 ? Limit::kInput : Limit::kElsewhere;
}

}  // namespace traceml
