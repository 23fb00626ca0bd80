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
      "explain", "what held the device, from a run's own traces or torch.profiler's");
  command
      ->add_option("traces", explain.traces,
                   "the folder of a run, or Chrome traces (JSON, may be gzipped), one a rank")
      ->required()
      ->expected(1, 1 << 20)
      ->type_name("RUN_DIR|TRACE...");
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
  command
      ->add_option("--cycle",
                   reading("--cycle", integer_form(0, 1000),
                           [&explain](int cycle) { explain.cycle = cycle; }),
                   "of a run's folder: which cycle of its schedule (default the first)")
      ->type_name("N");
  command->add_option("--against", explain.against, "an earlier run or trace to compare with")
      ->type_name("RUN_DIR|TRACE");
  command->add_option("--json", explain.json, "also write all of it to a file, for programs")
      ->type_name("FILE");
  command->add_option("--html", explain.html, "write a page for a browser to this file too")
      ->type_name("FILE");
}

}  // namespace traceml
