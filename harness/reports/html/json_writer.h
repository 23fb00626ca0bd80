#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/units.h"

namespace traceml {

// JSON as one line, safe inside a <script> element: no '<', '>', '&' and no line or paragraph
// separator stands in it as itself. Text loses folders of this host and control characters, as in
// every report. What is not finite is null.
class JsonWriter {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);  // reads back to the same double
  void value(bool truth);
  template <std::integral Integer>
  void value(Integer number) {
    whole(static_cast<std::int64_t>(number));
  }
  void value(Millis time) { value(time.count()); }
  void null();
  template <typename Value>
  void value(const std::optional<Value>& maybe) {
    maybe ? value(*maybe) : null();
  }

  // To five digits: for pictures, where the numbers are many.
  void rounded(const std::optional<double>& number);

  template <typename Value>
  void member(std::string_view name, const Value& content) {
    key(name);
    value(content);
  }

  const std::string& text() const { return text_; }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void whole(std::int64_t number);

  std::string text_;
  bool first_ = true;  // nothing stands in the innermost object or array yet, or a key was written
};

}  // namespace traceml
