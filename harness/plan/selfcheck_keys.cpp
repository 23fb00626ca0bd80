#include "harness/plan/selfcheck_keys.h"

#include "harness/plan/make_config_key.h"

namespace traceml {

namespace {

// The name of an arm, or "none" for the empty one.
ValueForm<std::string> arm_or_none_form() {
  ValueForm<std::string> form = identifier_form();
  form.form = "none | name of an arm";
  form.read = [read = form.read](const std::string& text) {
    return text == "none" ? Reading<std::string>{"", ""} : read(text);
  };
  form.print = [](const std::string& name) { return name.empty() ? "none" : name; };
  return form;
}

}  // namespace

std::vector<ConfigKey> selfcheck_keys() {
  using enum KeyScope;
  return {
      make_config_key(
          "measure.equal_arms", kRun, arm_or_none_form(),
          "two equal copies of this arm, and nothing else; `selfcheck` sets it",
          [](auto& c) -> auto& { return c.measure.equal_arms; }),
      make_config_key(
          "measure.equal_plants", kRun, margins_form(),
          "beside them, copies with a planted slowdown; `selfcheck --plant` sets it",
          [](auto& c) -> auto& { return c.measure.equal_plants; }),
      make_config_key(
          "measure.noise_profile", kRun, line_form(),
          "noise_profile.json of a `selfcheck` of this config on this machine",
          [](auto& c) -> auto& { return c.measure.noise_profile; }),
      make_config_key(
          "measure.interaction_sd", kRun, optional_form("auto", margin_form()),
          "what one launch cannot show (sd); the noise profile says it. auto: 0.3%",
          [](auto& c) -> auto& { return c.measure.interaction_sd; }),
  };
}

}  // namespace traceml
