#include "harness/app/run_identity.h"

#include <fmt/format.h>

#include <random>

#include "harness/app/workload_choice.h"
#include "harness/codec/config_file.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

RunId random_run_id() {
  std::random_device device;  // 32 bits a draw
  const std::uint64_t high = device();
  return {high << 32 | device()};
}

}  // namespace

RunId agree_on_run_id(Transport& transport, const Plan& plan) {
  if (simulated_start(plan)) {
    return run_id_derived_from(
        fmt::format("{} ranks\n{}", transport.world_size(), write_config(plan.config)));
  }
  const auto agreed = run_id_in(transport.broadcast(text_of(random_run_id())));
  if (!agreed) throw RunError("the run's id was torn on its way from rank 0: MPI changed bytes");
  return *agreed;
}

}  // namespace traceml
