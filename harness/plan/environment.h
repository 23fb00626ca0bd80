#pragma once
// What a run ran on: facts for the fingerprint, collected by the app, compared and printed
// elsewhere. Pure data.

#include <map>
#include <string>

namespace traceml {

// Sorted facts with plain values: "cpu_model", "cores_allowed", "affinity" (of rank 0: "0-7,16"),
// "mpi", "libtorch", "build_commit", ...; of CUDA runs "device" ("2 x NVIDIA H200"), "gpu_model"
// (as the driver names it: "NVIDIA H200"), "gpu_count" (distinct ones), "driver", "cuda", "cudnn",
// "nccl", "precision" ("tf32", or by arm "bf16 and tf32"). Nothing private: no host name, user
// name, path or environment variable that is not allow-listed.
struct Environment {
  std::map<std::string, std::string> facts;
};

// One line for the head of every report: "2 x AMD EPYC 7763 cores, Open MPI 4.1.4, libtorch
// 2.11.0", "2 x NVIDIA H200, driver 580.65.06, tf32, 32 x Intel Xeon cores, ..."; MPI, libtorch and
// NCCL by version.
std::string short_form(const Environment& environment);

}  // namespace traceml
