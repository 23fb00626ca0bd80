#pragma once
// Nights of one config as `history` reads them, made by hand.

#include <string>
#include <vector>

#include "harness/analysis/history.h"

namespace traceml::past {

inline PastGate gate_of(const std::string& name, double theta, Outcome outcome = Outcome::kPass) {
  PastGate gate;
  gate.name = name;
  gate.outcome = outcome;
  gate.theta = theta;
  gate.estimate = theta;
  gate.interval = Interval{theta - 0.006, theta + 0.006};
  gate.margin = 0.02;
  return gate;
}

// Night 1 is the first of November 2026.
inline PastReport night(int number, std::vector<PastGate> gates) {
  PastReport run;
  const std::string day = (number < 10 ? "0" : "") + std::to_string(number);
  run.folder = "results/night" + std::to_string(number);
  run.created_utc = "2026-11-" + day + "T02:00:00Z";
  run.config = "food101";
  run.config_hash = "5d41402a";
  run.finished = true;
  run.settings = {{"shipped: input.workers", "8"}};
  run.fingerprint = {{"driver", "580.65.06"}, {"device", "2 x NVIDIA H200"}};
  run.gates = std::move(gates);
  return run;
}

// A gate of the name that creeps by `slope` a night over so many nights.
inline std::vector<PastReport> nights(int count, double slope, const std::string& name) {
  std::vector<PastReport> runs;
  for (int i = 0; i < count; ++i) {
    const double noise = 0.0008 * (i * 7 % 5 - 2);
    runs.push_back(night(i + 1, {gate_of(name, slope * i + noise)}));
  }
  return runs;
}

}  // namespace traceml::past
