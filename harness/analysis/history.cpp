#include "harness/analysis/history.h"

#include <algorithm>
#include <array>

namespace traceml {

namespace {

using Fields = std::map<std::string, std::string>;

std::vector<FieldChange> changes_between(const Fields& before, const Fields& after) {
  const auto value_in = [](const Fields& fields, const std::string& name) {
    const auto found = fields.find(name);
    return found == fields.end() || found->second.empty() ? std::string("none") : found->second;
  };
  Fields all = before;
  all.insert(after.begin(), after.end());
  std::vector<FieldChange> changes;
  for (const auto& [name, ignored] : all) {
    const std::string from = value_in(before, name), to = value_in(after, name);
    if (from != to) changes.push_back({name, from, to});
  }
  return changes;
}

// Reasons by which the times themselves mean nothing; all others leave an estimate to look at.
constexpr std::array<Reason, 5> kNoTimes = {
    Reason::kMissingRank, Reason::kNonfiniteOrNonpositiveTime, Reason::kNonfiniteLoss,
    Reason::kNoCommonClock, Reason::kDistortingEnvironment};

std::string why_not_counted(const PastReport& run, const PastGate& gate, bool before_anchor) {
  if (before_anchor) return "before the anchor";
  if (!run.finished) return "ended early";
  for (const Reason reason : kNoTimes) {
    const std::string name(name_of(reason));
    if (std::find(gate.reasons.begin(), gate.reasons.end(), name) != gate.reasons.end()) {
      return name;
    }
  }
  return gate.theta ? "" : "no estimate";
}

void add_points(RunSeries& series) {
  for (std::size_t i = 0; i < series.runs.size(); ++i) {
    for (const PastGate& gate : series.runs[i].gates) {
      auto found = std::find_if(series.gates.begin(), series.gates.end(),
                                [&](const GateSeries& one) { return one.name == gate.name; });
      if (found == series.gates.end()) {
        found = series.gates.insert(found, GateSeries{gate.name, {}, std::nullopt});
      }
      found->points.push_back({i, gate, why_not_counted(series.runs[i], gate, i < series.anchor)});
    }
  }
}

void find_creep(RunSeries& series, double alpha) {
  for (GateSeries& gate : series.gates) {
    std::vector<double> thetas;
    for (const SeriesPoint& point : gate.points) {
      if (point.not_counted.empty()) thetas.push_back(*point.gate.theta);
    }
    gate.creep = creep_of(thetas, alpha, static_cast<int>(series.gates.size()));
  }
}

std::vector<RunSeries> apart(std::vector<PastReport> runs) {
  std::vector<RunSeries> history;
  for (PastReport& run : runs) {
    auto found = std::find_if(history.begin(), history.end(), [&](const RunSeries& series) {
      const PastReport& first = series.runs.front();
      return first.config == run.config && first.settings == run.settings;
    });
    if (found == history.end()) found = history.insert(found, RunSeries{});
    found->runs.push_back(std::move(run));
  }
  return history;
}

}  // namespace

std::vector<RunSeries> history_of(std::vector<PastReport> runs, const HistoryRule& rule) {
  std::stable_sort(runs.begin(), runs.end(), [](const PastReport& a, const PastReport& b) {
    return a.created_utc < b.created_utc;
  });
  std::vector<RunSeries> history = apart(std::move(runs));
  for (RunSeries& series : history) {
    const PastReport& first = series.runs.front();
    const auto namesake = std::find_if(history.begin(), history.end(), [&](const RunSeries& other) {
      return other.runs.front().config == first.config;
    });
    series.other_settings = changes_between(namesake->runs.front().settings, first.settings);
    series.changes.resize(series.runs.size());
    for (std::size_t i = 0; i < series.runs.size(); ++i) {
      if (!rule.anchor.empty() && series.runs[i].folder == rule.anchor) series.anchor = i;
      if (i == 0) continue;
      series.changes[i] =
          changes_between(series.runs[i - 1].fingerprint, series.runs[i].fingerprint);
    }
    add_points(series);
    find_creep(series, rule.alpha);
  }
  return history;
}

bool any_creep(const std::vector<RunSeries>& history) {
  for (const RunSeries& series : history) {
    for (const GateSeries& gate : series.gates) {
      if (gate.creep && gate.creep->proven) return true;
    }
  }
  return false;
}

}  // namespace traceml
