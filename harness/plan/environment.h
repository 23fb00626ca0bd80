#pragma once
// What a run ran on: facts for the fingerprint, collected by the app, compared and printed
// elsewhere. Pure data.

#include <map>
#include <string>

namespace traceml {

// Sorted facts with plain values: "cpu_model", "cores_allowed", "mpi", "libtorch", "device",
// "build_commit", ... Nothing private: no host name, user name, path or environment variable that
// is not allow-listed.
struct Environment {
  std::map<std::string, std::string> facts;
};

// One line for the head of every report: "2 x AMD EPYC 7763 cores, Open MPI 4.1.4,
// libtorch 2.11.0".
std::string short_form(const Environment& environment);

}  // namespace traceml
