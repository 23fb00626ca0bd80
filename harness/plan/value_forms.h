#pragma once
// How the values of a config are written. A form reads the raw text of a scalar and prints the
// canonical text; reading that gives an equal value. Stricter than YAML on purpose: no octal, no
// yes or no, no NaN, no margin or duration without its unit.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/units.h"
#include "harness/plan/nearest.h"

namespace traceml {

// A value, or what is wrong with the text: "is 'x'; allowed: integer, 0 to 256".
template <class T>
struct Reading {
  std::optional<T> value;
  std::string fault;
};

template <class T>
struct ValueForm {
  std::string form;        // "integer, 0 to 256"
  bool free_text = false;  // any words: always quoted in YAML
  std::function<Reading<T>(const std::string&)> read;
  std::function<std::string(const T&)> print;
};

ValueForm<int> integer_form(int min, int max);
ValueForm<std::uint64_t> seed_form();  // integer, 0 to 2^64 - 1

// A plain decimal number in [min, max], or (min, max] with `above_min`.
ValueForm<double> decimal_form(double min, double max, bool above_min);

// "2%" is 0.02; from 0% to 1000%.
ValueForm<double> margin_form();

// "3%, 5%", each as margin_form() and above 0; "none".
ValueForm<std::vector<double>> margins_form();

// "0.95" or "95%", above 0, at most 1.
ValueForm<double> fraction_form();

// "500ms", "60s", "20min", "2h": whole milliseconds in [min, max].
ValueForm<Seconds> seconds_form(Millis min, Millis max);
ValueForm<Millis> millis_form(Millis min, Millis max);

ValueForm<std::string> line_form();        // one line of text, may be empty
ValueForm<std::string> identifier_form();  // [A-Za-z0-9_.-], up to 64, no dot or dash first

// One of `names`. `refused` names values of later versions and what to write instead:
// {"compile", "is not in this version yet; use eager or graph"}.
template <class T>
ValueForm<T> choice_form(std::vector<std::pair<std::string, T>> names,
                         std::vector<std::pair<std::string, std::string>> refused) {
  ValueForm<T> made;
  for (const auto& [name, value] : names) made.form += (made.form.empty() ? "" : " | ") + name;
  made.read = [names, refused, form = made.form](const std::string& text) -> Reading<T> {
    for (const auto& [name, value] : names) {
      if (name == text) return {value, ""};
    }
    for (const auto& [name, why] : refused) {
      if (name == text) return {std::nullopt, "is " + shown(name) + ", which " + why};
    }
    return {std::nullopt, "is " + shown(text) + "; allowed: " + form};
  };
  made.print = [names](const T& wanted) {
    for (const auto& [name, value] : names) {
      if (value == wanted) return name;
    }
    return std::string("?");  // a value that only code can set
  };
  return made;
}

// `word` stands for nullopt: "auto", "any".
template <class T>
ValueForm<std::optional<T>> optional_form(const std::string& word, const ValueForm<T>& inner) {
  ValueForm<std::optional<T>> made;
  made.form = word + " | " + inner.form;
  made.read = [word, inner, form = made.form](const std::string& text) {
    if (text == word) return Reading<std::optional<T>>{std::optional<T>(), ""};
    Reading<T> reading = inner.read(text);
    if (!reading.value) return Reading<std::optional<T>>{std::nullopt, reading.fault};
    return Reading<std::optional<T>>{std::optional<std::optional<T>>(reading.value), ""};
  };
  made.print = [word, inner](const std::optional<T>& value) {
    return value ? inner.print(*value) : word;
  };
  return made;
}

}  // namespace traceml
