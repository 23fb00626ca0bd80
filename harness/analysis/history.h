#pragma once
// Many runs of a config, night after night: the series of each gate, where the fingerprint changed,
// and whether the estimate creeps (creep.h). Judges no run anew.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/creep.h"
#include "harness/analysis/outcome.h"
#include "harness/analysis/summary.h"

namespace traceml {

// A gate of one run, as its report has it.
struct PastGate {
  std::string name;
  bool fraction = false;  // unit: of throughput; else relative, of time
  Outcome outcome = Outcome::kInconclusive;
  std::vector<std::string> reasons;  // headline first
  std::optional<double> estimate;    // in that unit
  std::optional<Interval> interval;
  std::optional<double> margin;
  std::optional<double> theta;  // ln(T_candidate / T_baseline)
};

struct PastReport {
  std::string folder;       // as the user wrote it
  std::string created_utc;  // "2026-11-29T18:15:00Z": sorts by time
  std::string config;       // its name
  std::string config_hash;  // of `settings`
  bool finished = false;    // false: it ended before its plan
  int exit_code = 0;
  std::map<std::string, std::string> settings;     // semantic: "shipped: input.workers" = "8"
  std::map<std::string, std::string> fingerprint;  // "driver" = "580.65.06"
  std::vector<PastGate> gates;
};

// A field that is not what it was in the run before; "none" where a run lacks it.
struct FieldChange {
  std::string field, from, to;
};

struct SeriesPoint {
  std::size_t run = 0;  // of the series, from 0
  PastGate gate;
  std::string not_counted;  // why creep does not count it; empty: it does
};

struct GateSeries {
  std::string name;
  std::vector<SeriesPoint> points;  // of the runs that have this gate
  std::optional<Creep> creep;       // null: too few runs count
};

// Runs of one name and equal settings.
struct RunSeries {
  std::vector<PastReport> runs;                   // by time
  std::size_t anchor = 0;                         // creep counts from this run on
  std::vector<std::vector<FieldChange>> changes;  // of each run; the first has none
  std::vector<FieldChange> other_settings;        // against the first series of the same name
  std::vector<GateSeries> gates;
};

struct HistoryRule {
  double alpha = 0.05;  // of each series, over all nights that there will ever be
  std::string anchor;   // folder of a run; empty: the first of each series
};

// By creation time; runs of equal time stay in the order given. Series come in the order of their
// first runs.
std::vector<RunSeries> history_of(std::vector<PastReport> runs, const HistoryRule& rule);

bool any_creep(const std::vector<RunSeries>& history);

}  // namespace traceml
