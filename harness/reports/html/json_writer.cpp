#include "harness/reports/html/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "harness/codec/shareable_text.h"
#include "harness/reports/text.h"

namespace traceml {

void JsonWriter::separate() {
  if (!first_) text_.push_back(',');
  first_ = false;
}

void JsonWriter::open(char bracket) {
  separate();
  text_.push_back(bracket);
  first_ = true;
}

void JsonWriter::close(char bracket) {
  text_.push_back(bracket);
  first_ = false;
}

void JsonWriter::key(std::string_view name) {
  value(name);
  text_.push_back(':');
  first_ = true;
}

// plain_text() leaves neither control characters nor U+2028 and U+2029.
void JsonWriter::value(std::string_view text) {
  separate();
  text_.push_back('"');
  for (const char byte : plain_text(without_folders(text))) {
    switch (byte) {
      case '"':
      case '\\':
        text_.push_back('\\');
        text_.push_back(byte);
        break;
      case '<':
      case '>':
      case '&':
        fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<int>(byte));
        break;
      default:
        text_.push_back(byte);
    }
  }
  text_.push_back('"');
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  fmt::format_to(std::back_inserter(text_), "{}", number);
}

void JsonWriter::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
}

void JsonWriter::whole(std::int64_t number) {
  separate();
  fmt::format_to(std::back_inserter(text_), "{}", number);
}

void JsonWriter::null() {
  separate();
  text_ += "null";
}

void JsonWriter::rounded(const std::optional<double>& number) {
  if (!number || !std::isfinite(*number)) return null();
  separate();
  fmt::format_to(std::back_inserter(text_), "{:.5g}", *number);
}

}  // namespace traceml
