#pragma once
// For the sources that make up the table of keys only.

#include <optional>
#include <string>
#include <utility>

#include "harness/plan/config_keys.h"
#include "harness/plan/value_forms.h"

namespace traceml {

// `access` gives the value's place in a config: a reference, const for a const config.
template <class Form, class Access>
ConfigKey make_config_key(const char* path, KeyScope scope, const Form& form, const char* help,
                          Access access) {
  ConfigKey key;
  key.path = path;
  key.help = help;
  key.form = form.form;
  key.scope = scope;
  key.free_text = form.free_text;
  key.set = [read = form.read, access](Config& config,
                                       const std::string& text) -> std::optional<std::string> {
    auto reading = read(text);
    if (!reading.value) return reading.fault;
    access(config) = std::move(*reading.value);
    return std::nullopt;
  };
  key.get = [print = form.print, access](const Config& config) { return print(access(config)); };
  return key;
}

}  // namespace traceml
