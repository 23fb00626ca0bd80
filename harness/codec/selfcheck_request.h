#pragma once
// selfcheck_request.json: what a self-check was asked, beside its runs; so it goes on after an
// interruption, and `report` makes everything again.

#include <cstdint>
#include <string>
#include <vector>

namespace traceml {

struct SelfcheckRequest {
  std::string created_utc;
  std::string config_hash;     // of the config that is checked (codec/noise_profile.h)
  std::string arm;             // measure.equal_arms
  std::vector<double> plants;  // measure.equal_plants
  std::vector<double> effects;
  std::uint64_t seed = 0;  // of the config; each run has one of its own
  int runs = 0;            // that were asked for last
  int launches = 1;        // of each run; 1: a run is a launch
  int ranks = 1;
};

std::string selfcheck_request_file(const std::string& out);

// Atomically (atomic_file.h).
void write_selfcheck_request(const std::string& path, const SelfcheckRequest& request);

// Throws RunError naming the file where it is missing, torn or edited.
SelfcheckRequest read_selfcheck_request(const std::string& path);

}  // namespace traceml
