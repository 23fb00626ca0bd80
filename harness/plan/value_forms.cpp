#include "harness/plan/value_forms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace traceml {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string fault_of(const std::string& text, const std::string& form) {
  if (text.empty()) return "is empty; allowed: " + form;
  return "is " + shown(text) + "; allowed: " + form;
}

// Decimal digits only, no sign, no leading zero.
bool is_plain_integer(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit) &&
         (text.size() == 1 || text[0] != '0');
}

bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && std::all_of(text.begin(), text.end(), is_digit);
}

std::string leading_zero_fault(const std::string& text) {
  std::string_view digits = text;
  while (digits.size() > 1 && digits[0] == '0') digits.remove_prefix(1);
  return "is " + shown(text) + "; a leading zero means octal to YAML; write " +
         std::string(digits.substr(0, 20));
}

// Digits, one optional point between digits, optional exponent: "0.1", "5", "1e-4".
std::optional<double> plain_decimal(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = mantissa.find('.');
  if (!is_plain_integer(mantissa.substr(0, point))) return std::nullopt;
  if (point != std::string_view::npos) {
    const std::string_view fraction = mantissa.substr(point + 1);
    if (fraction.empty() || !std::all_of(fraction.begin(), fraction.end(), is_digit)) {
      return std::nullopt;
    }
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string shortest(double value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

// The shortest p for which p / 100 is `value` again.
std::string percent_text(double value) {
  std::array<char, 512> buffer{};
  for (int decimals = 0; decimals <= 20; ++decimals) {
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value * 100,
                                      std::chars_format::fixed, decimals);
    const std::string text(buffer.data(), result.ptr);
    if (plain_decimal(text).value_or(-1) / 100 == value) return text + "%";
  }
  return shortest(value * 100) + "%";
}

struct DurationUnit {
  std::string_view name;
  std::int64_t ms;
};
constexpr std::array<DurationUnit, 4> kUnits = {
    DurationUnit{"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}};

// Largest unit that gives a whole number.
std::string duration_text(std::int64_t ms) {
  for (const DurationUnit& unit : kUnits) {
    if (ms % unit.ms != 0 || (ms == 0 && unit.name != "s")) continue;
    return std::to_string(ms / unit.ms) + std::string(unit.name);
  }
  return std::to_string(ms) + "ms";
}

Reading<std::int64_t> read_duration(const std::string& text, Millis min, Millis max,
                                    const std::string& form) {
  const std::size_t unit_at = std::min(text.size(), text.find_first_not_of("0123456789.eE+-"));
  const std::optional<double> number = plain_decimal(std::string_view(text).substr(0, unit_at));
  if (number && unit_at == text.size()) {
    return {std::nullopt, "is " + shown(text) + "; a duration needs its unit, as " + text +
                              "s or " + text + "min"};
  }
  const std::string_view name = std::string_view(text).substr(unit_at);
  for (const DurationUnit& unit : kUnits) {
    if (!number || name != unit.name) continue;
    const double ms = *number * static_cast<double>(unit.ms);
    if (!(ms >= min.count() && ms <= max.count())) break;
    if (ms != std::floor(ms)) {
      return {std::nullopt, "is " + shown(text) + "; it must be whole milliseconds"};
    }
    return {static_cast<std::int64_t>(ms), ""};
  }
  return {std::nullopt, fault_of(text, form)};
}

std::string duration_form_text(Millis min, Millis max) {
  return "duration with its unit, " + duration_text(std::llround(min.count())) + " to " +
         duration_text(std::llround(max.count()));
}

}  // namespace

ValueForm<int> integer_form(int min, int max) {
  ValueForm<int> made;
  made.form = "integer, " + std::to_string(min) + " to " + std::to_string(max);
  made.read = [min, max, form = made.form](const std::string& text) -> Reading<int> {
    if (has_leading_zero(text)) return {std::nullopt, leading_zero_fault(text)};
    int value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!is_plain_integer(text) || result.ec != std::errc() || value < min || value > max) {
      return {std::nullopt, fault_of(text, form)};
    }
    return {value, ""};
  };
  made.print = [](const int& value) { return std::to_string(value); };
  return made;
}

ValueForm<std::uint64_t> seed_form() {
  ValueForm<std::uint64_t> made;
  made.form = "integer, 0 to 18446744073709551615";
  made.read = [form = made.form](const std::string& text) -> Reading<std::uint64_t> {
    if (has_leading_zero(text)) return {std::nullopt, leading_zero_fault(text)};
    std::uint64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!is_plain_integer(text) || result.ec != std::errc()) {
      return {std::nullopt, fault_of(text, form)};
    }
    return {value, ""};
  };
  made.print = [](const std::uint64_t& value) { return std::to_string(value); };
  return made;
}

ValueForm<double> decimal_form(double min, double max, bool above_min) {
  ValueForm<double> made;
  made.form = (above_min ? "number above " : "number, ") + shortest(min) +
              (above_min ? ", at most " : " to ") + shortest(max);
  made.read = [=, form = made.form](const std::string& text) -> Reading<double> {
    const std::optional<double> value = plain_decimal(text);
    if (!value || *value > max || *value < min || (above_min && *value == min)) {
      return {std::nullopt, fault_of(text, form)};
    }
    return {value, ""};
  };
  made.print = [](const double& value) { return shortest(value); };
  return made;
}

ValueForm<double> margin_form() {
  ValueForm<double> made;
  made.form = "margin with its unit, 0% to 1000%";
  made.read = [form = made.form](const std::string& text) -> Reading<double> {
    if (plain_decimal(text)) {
      return {std::nullopt, "is " + shown(text) + "; a margin needs its unit, as " + text + "%"};
    }
    if (!text.ends_with('%')) return {std::nullopt, fault_of(text, form)};
    const auto percent = plain_decimal(std::string_view(text).substr(0, text.size() - 1));
    if (!percent || *percent > 1000) return {std::nullopt, fault_of(text, form)};
    return {*percent / 100, ""};
  };
  made.print = [](const double& value) { return percent_text(value); };
  return made;
}

ValueForm<std::vector<double>> margins_form() {
  const ValueForm<double> one = margin_form();
  ValueForm<std::vector<double>> made;
  made.form = "none | margins with their unit, as 3%, 5%";
  made.read = [one](const std::string& text) -> Reading<std::vector<double>> {
    std::vector<double> margins;
    if (text == "none") return {margins, ""};
    std::string rest = text + ",";
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      std::string word = rest.substr(0, comma);
      rest.erase(0, comma + 1);
      word.erase(0, std::min(word.find_first_not_of(' '), word.size()));
      word.erase(word.find_last_not_of(' ') + 1);
      const Reading<double> reading = one.read(word);
      if (!reading.value) return {std::nullopt, reading.fault};
      if (*reading.value == 0) return {std::nullopt, "holds 0%, which changes nothing"};
      margins.push_back(*reading.value);
    }
    return {margins, ""};
  };
  made.print = [one](const std::vector<double>& margins) -> std::string {
    std::string text;
    for (const double margin : margins) text += (text.empty() ? "" : ", ") + one.print(margin);
    return text.empty() ? "none" : text;
  };
  return made;
}

ValueForm<double> fraction_form() {
  ValueForm<double> made;
  made.form = "fraction above 0, at most 1, as 0.95 or 95%";
  made.read = [form = made.form](const std::string& text) -> Reading<double> {
    const bool percent = text.ends_with('%');
    const auto number =
        plain_decimal(std::string_view(text).substr(0, text.size() - (percent ? 1 : 0)));
    if (number && !percent && *number > 1 && *number <= 100) {
      return {std::nullopt, "is " + shown(text) + "; a fraction above 1 needs its unit: write " +
                                text + "% or " + shortest(*number / 100)};
    }
    if (!number) return {std::nullopt, fault_of(text, form)};
    const double value = percent ? *number / 100 : *number;
    if (!(value > 0 && value <= 1)) return {std::nullopt, fault_of(text, form)};
    return {value, ""};
  };
  made.print = [](const double& value) { return shortest(value); };
  return made;
}

ValueForm<Seconds> seconds_form(Millis min, Millis max) {
  ValueForm<Seconds> made;
  made.form = duration_form_text(min, max);
  made.read = [min, max, form = made.form](const std::string& text) -> Reading<Seconds> {
    const auto ms = read_duration(text, min, max, form);
    if (!ms.value) return {std::nullopt, ms.fault};
    return {Seconds(static_cast<double>(*ms.value) / 1000), ""};
  };
  made.print = [](const Seconds& value) {
    return duration_text(std::llround(value.count() * 1000));
  };
  return made;
}

ValueForm<Millis> millis_form(Millis min, Millis max) {
  ValueForm<Millis> made;
  made.form = duration_form_text(min, max);
  made.read = [min, max, form = made.form](const std::string& text) -> Reading<Millis> {
    const auto ms = read_duration(text, min, max, form);
    if (!ms.value) return {std::nullopt, ms.fault};
    return {Millis(static_cast<double>(*ms.value)), ""};
  };
  made.print = [](const Millis& value) { return duration_text(std::llround(value.count())); };
  return made;
}

ValueForm<std::string> line_form() {
  ValueForm<std::string> made;
  made.form = "one line of text";
  made.free_text = true;
  made.read = [form = made.form](const std::string& text) -> Reading<std::string> {
    const std::size_t end = text.find_last_not_of(" \n");  // a folded block ends with a newline
    const std::string line = text.substr(0, end == std::string::npos ? 0 : end + 1);
    const bool plain = std::none_of(line.begin(), line.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < 0x20 || byte == 0x7F;
    });
    if (!plain || line.size() > 4096) return {std::nullopt, fault_of(text, form)};
    return {line, ""};
  };
  made.print = [](const std::string& value) { return value; };
  return made;
}

ValueForm<std::string> identifier_form() {
  ValueForm<std::string> made;
  made.form = "up to 64 of A-Z a-z 0-9 _ . -, a letter, digit or _ first";
  made.free_text = true;
  made.read = [form = made.form](const std::string& text) -> Reading<std::string> {
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
             c == '.' || c == '-';
    });
    if (!plain || text.empty() || text.size() > 64 || text[0] == '.' || text[0] == '-') {
      return {std::nullopt, fault_of(text, form)};
    }
    return {text, ""};
  };
  made.print = [](const std::string& value) { return value; };
  return made;
}

}  // namespace traceml
