#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "harness/app/commands.h"
#include "harness/codec/atomic_file.h"
#include "harness/core/error.h"
#include "harness/plan/first_config.h"
#include "harness/runner/allowed_cores.h"
#include "workloads/input/dataset.h"

namespace traceml {
namespace {

FirstConfigFacts facts_of(const InitArguments& arguments) {
  FirstConfigFacts facts;
  facts.cores = allowed_core_count();
  facts.folder = std::filesystem::path(arguments.out).parent_path().string();
  if (!facts.folder.empty()) facts.folder += "/";
  if (arguments.dataset.empty()) return facts;
  const Dataset dataset = load_dataset(arguments.dataset);
  // A config names a data set from its own folder.
  const auto folder = std::filesystem::absolute(arguments.out).parent_path();
  facts.dataset =
      std::filesystem::proximate(std::filesystem::absolute(arguments.dataset), folder).string();
  facts.classes = static_cast<int>(dataset.classes.size());
  facts.images = static_cast<std::int64_t>(dataset.samples.size());
  return facts;
}

}  // namespace

int init_command(const InitArguments& arguments) {
  if (std::filesystem::exists(arguments.out)) {
    throw UsageError(
        fmt::format("{} is there already and is not overwritten; name another file "
                    "with --out",
                    arguments.out));
  }
  const FirstConfigFacts facts = facts_of(arguments);
  write_file_atomically(arguments.out, first_config(facts));
  fmt::print("{} is written; look at it, then\n", arguments.out);
  if (arguments.dataset.empty()) {
    fmt::print("  make the data set with the datagen line at its top, or set input.dataset\n");
  }
  fmt::print(
      "  traceml-bench check {0} -n {1}\n"
      "  mpirun -n {1} --bind-to none traceml-bench {0}\n",
      arguments.out, ranks_of(facts));
  std::fflush(stdout);
  return value_of(ExitCode::kPass);
}

}  // namespace traceml
