// meta/train.json and meta/train.txt of a Food-101 tree, and CSV lists.

#include <string>

#include "harness/core/error.h"
#include "tests/fuzz/fuzz_target.h"
#include "workloads/input/csv_list.h"
#include "workloads/input/dataset_list.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace traceml;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const auto read : {read_json_list, read_text_list}) {
    try {
      for (const auto& [name, paths] : read(text, "meta/train")) {
        for (const std::string& path : paths) {
          const bool inside = path.starts_with("images/") && path.find("/../") == path.npos;
          if (!inside) __builtin_trap();
        }
      }
    } catch (const Error&) {
    }
  }
  try {
    const CsvList list = read_csv_list(text, "train.csv");
    const auto classes = static_cast<std::int32_t>(list.classes.size());
    for (const ListedSample& listed : list.samples) {
      const bool sound = !listed.sample.path.empty() && listed.sample.label >= 0 &&
                         listed.sample.label < classes && listed.line > 0;
      if (!sound) __builtin_trap();
    }
  } catch (const Error&) {
  }
  return 0;
}
