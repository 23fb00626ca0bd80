#include "harness/app/explain_options.h"

#include <CLI/CLI.hpp>

#include "harness/core/error.h"
#include "harness/plan/value_forms.h"

namespace traceml {
namespace {

// Reads each text of an option by a form, as strictly as a value of a config.
template <class Value, class Take>
CLI::callback_t reading(const std::string& name, const ValueForm<Value>& form, Take take) {
  return [name, form, take](const CLI::results_t& texts) {
    for (const std::string& text : texts) {
      const Reading<Value> reading = form.read(text);
      if (!reading.value) throw UsageError(name + " " + reading.fault);
      take(*reading.value);
    }
    return true;
  };
}

}  // namespace

void add_explain(CLI::App& app, ExplainArguments& explain) {
  CLI::App* command = app.add_subcommand(
      "explain", "what held the device, from torch.profiler's traces, one file a rank");
  command->add_option("traces", explain.traces, "Chrome traces (JSON, may be gzipped)")
      ->required()
      ->expected(1, 1 << 20)
      ->type_name("TRACE...");
  const auto selections =
      choice_form<std::string>({{"whole", "whole"}, {"steps", "steps"}, {"hta", "hta"}}, {});
  command
      ->add_option("--select",
                   reading("--select", selections,
                           [&explain](const std::string& name) { explain.selection = name; }),
                   "device work to look at: whole, steps or hta (default steps, if there are any)")
      ->type_name("NAME");
  command
      ->add_option("--gap-ms",
                   reading("--gap-ms", decimal_form(0, 3.6e6, true),
                           [&explain](double gap) { explain.long_gap_ms = gap; }),
                   "list gaps of at least so many ms (default 1)")
      ->type_name("MS");
  command
      ->add_option("--rows",
                   reading("--rows", integer_form(1, 100'000),
                           [&explain](int rows) { explain.rows = rows; }),
                   "rows of each list (default 10)")
      ->type_name("N");
  command
      ->add_option("--rank",
                   reading("--rank", integer_form(0, 1 << 20),
                           [&explain](int rank) { explain.ranks.push_back(rank); }),
                   "ranks of the traces, in their order, where the files do not tell")
      ->expected(1, 1 << 20)
      ->type_name("N...");
  command->add_option("--against", explain.against, "an earlier trace to compare with")
      ->type_name("TRACE");
  command->add_option("--json", explain.json, "also write all of it to a file, for programs")
      ->type_name("FILE");
  command->add_option("--html", explain.html, "write a page for a browser to this file too")
      ->type_name("FILE");
}

}  // namespace traceml
