#include "harness/codec/text_check.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "harness/core/error.h"

namespace traceml {

namespace {

constexpr std::size_t kMaxBytes = 1024 * 1024;

// Length of the UTF-8 sequence that opens `bytes`; 0 where it is no shortest-form, non-surrogate
// code point up to U+10FFFF (RFC 3629).
std::size_t utf8_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && at(1) < 0xA0) || (lead == 0xF0 && at(1) < 0x90);
  const bool surrogate = lead == 0xED && at(1) >= 0xA0;
  const bool too_large = lead == 0xF4 && at(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

void check_config_bytes(const std::string& text, const std::string& name) {
  if (text.size() > kMaxBytes) {
    throw UsageError(name + ": is larger than 1 MiB, which no config is; name a config file");
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    throw UsageError(name + ":1:1: begins with a byte order mark; save it as UTF-8 without one");
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw UsageError(name + ":1:1: is UTF-16; save it as UTF-8");
  }
  int line = 1;
  std::size_t line_start = 0;
  bool indentation = true;
  for (std::size_t i = 0; i < text.size();) {
    const auto fail = [&](const std::string& what) {
      throw UsageError(fmt::format("{}:{}:{}: {}", name, line, i - line_start + 1, what));
    };
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\t' && indentation) fail("a tab in the indentation; use spaces");
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
      fail(fmt::format("the control character 0x{:02x}; a config is plain text", byte));
    }
    if (byte == '\r' && text.compare(i, 2, "\r\n") != 0) {
      fail("a carriage return alone; end lines with a line feed");
    }
    const std::size_t length = utf8_length(std::string_view(text).substr(i));
    if (length == 0) fail(fmt::format("the byte 0x{:02x} is not UTF-8; save it as UTF-8", byte));
    i += length;
    if (byte == '\n') {
      ++line;
      line_start = i;
      indentation = true;
    } else if (byte != ' ') {
      indentation = false;
    }
  }
}

}  // namespace traceml
