#include <fmt/format.h>

#include <cstdio>

#include "harness/app/commands.h"
#include "harness/core/error.h"
#include "workloads/input/datagen.h"

namespace traceml {

int datagen_command(const DatagenArguments& arguments) {
  DatagenOptions options;
  options.folder = arguments.dir;
  options.classes = arguments.classes;
  options.images = arguments.images;
  options.test_images = arguments.test_images;
  options.long_side = arguments.long_side;
  options.seed = arguments.seed;
  fmt::print("{}", describe(make_dataset(options)));
  std::fflush(stdout);
  return value_of(ExitCode::kPass);
}

}  // namespace traceml
