#include "harness/plan/trace_keys.h"

#include "harness/plan/make_config_key.h"

namespace traceml {

namespace {

constexpr int kMostSteps = 10000;
constexpr int kMostCycles = 100;

// The name of an arm, or "auto" for the empty one.
ValueForm<std::string> arm_or_auto_form() {
  ValueForm<std::string> form = identifier_form();
  form.form = "auto | name of an arm";
  form.read = [read = form.read](const std::string& text) {
    return text == "auto" ? Reading<std::string>{"", ""} : read(text);
  };
  form.print = [](const std::string& name) { return name.empty() ? "auto" : name; };
  return form;
}

}  // namespace

std::vector<ConfigKey> trace_keys() {
  using enum KeyScope;
  return {
      make_config_key(
          "trace.arm", kRun, arm_or_auto_form(),
          "whose steps are traced; auto: the first gate's candidate, else the first that reads "
          "data",
          [](auto& c) -> auto& { return c.trace.arm; }),
      make_config_key(
          "trace.skip_first", kRun, integer_form(0, kMostSteps),
          "steps before the first cycle; all of these as torch.profiler's schedule has them",
          [](auto& c) -> auto& { return c.trace.skip_first; }),
      make_config_key(
          "trace.wait", kRun, integer_form(0, kMostSteps),
          "steps at the begin of each cycle with tracing off",
          [](auto& c) -> auto& { return c.trace.wait; }),
      make_config_key(
          "trace.warmup", kRun, integer_form(0, kMostSteps),
          "steps with tracing on of which nothing is kept",
          [](auto& c) -> auto& { return c.trace.warmup; }),
      make_config_key(
          "trace.active", kRun, integer_form(0, kMostSteps),
          "steps that are kept, after all measured ones, in a file of each rank; 0: no trace",
          [](auto& c) -> auto& { return c.trace.active; }),
      make_config_key(
          "trace.repeat", kRun, integer_form(1, kMostCycles), "cycles, each with files of its own",
          [](auto& c) -> auto& { return c.trace.repeat; }),
      make_config_key(
          "trace.operators", kRun, choice_form<bool>({{"true", true}, {"false", false}}, {}),
          "libtorch's operators with the sizes of their inputs, too, of every thread",
          [](auto& c) -> auto& { return c.trace.operators; }),
  };
}

}  // namespace traceml
