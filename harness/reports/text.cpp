#include "harness/reports/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

using Range = std::pair<char32_t, char32_t>;

// C0 and C1 controls, and what turns the direction of text or hides in it.
constexpr std::array<Range, 8> kInvisible = {{{0x00, 0x1F},
                                              {0x7F, 0x9F},
                                              {0x200B, 0x200F},
                                              {0x2028, 0x202E},
                                              {0x2060, 0x206F},
                                              {0xFEFF, 0xFEFF},
                                              {0xFFF9, 0xFFFB},
                                              {0xFFFE, 0xFFFF}}};

// Unicode's East Asian wide ranges and emoji, coarsely.
constexpr std::array<Range, 9> kWide = {{{0x1100, 0x115F},
                                         {0x2E80, 0xA4CF},
                                         {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF},
                                         {0xFE30, 0xFE6F},
                                         {0xFF00, 0xFF60},
                                         {0xFFE0, 0xFFE6},
                                         {0x1F300, 0x1FAFF},
                                         {0x20000, 0x3FFFD}}};

constexpr std::array<Range, 2> kCombining = {{{0x300, 0x36F}, {0xFE00, 0xFE0F}}};

bool is_in(std::span<const Range> ranges, char32_t point) {
  return std::any_of(ranges.begin(), ranges.end(), [point](const Range& range) {
    return range.first <= point && point <= range.second;
  });
}

int width_of_point(char32_t point) {
  if (is_in(kCombining, point)) return 0;
  return is_in(kWide, point) ? 2 : 1;
}

// Takes one code point off the front; U+FFFD and one byte for what is not UTF-8.
char32_t take_point(std::string_view* text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>((*text)[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 0x6 ? 2 : lead >> 4 == 0xE ? 3 : 4;
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  char32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  bool valid = (lead < 0x80 || lead >= 0xC0) && lead < 0xF8 && length <= text->size();
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = byte(i) >> 6 == 0x2;
    point = (point << 6) | (byte(i) & 0x3FU);
  }
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (!valid || point < kLeast[length] || point > 0x10FFFF || surrogate) {
    text->remove_prefix(1);
    return kReplacement;
  }
  text->remove_prefix(length);
  return point;
}

void append_point(std::string* text, char32_t point) {
  const auto byte = [text](char32_t bits) { text->push_back(static_cast<char>(bits)); };
  const auto tail = [&byte, point](int shift) { byte(0x80U | ((point >> shift) & 0x3FU)); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) {
    byte(0xC0U | (point >> 6));
  } else if (point < 0x10000) {
    byte(0xE0U | (point >> 12));
    tail(6);
  } else {
    byte(0xF0U | (point >> 18));
    tail(12);
    tail(6);
  }
  tail(0);
}

// The longest front of `text` that fits `columns`.
std::string_view front_of(std::string_view text, int columns) {
  std::string_view rest = text;
  int used = 0;
  while (!rest.empty()) {
    std::string_view next = rest;
    used += width_of_point(take_point(&next));
    if (used > columns) break;
    rest = next;
  }
  return text.substr(0, text.size() - rest.size());
}

// The longest end of `text` that fits `columns`.
std::string_view end_of(std::string_view text, int columns) {
  for (int width = width_of(text); width > columns;) width -= width_of_point(take_point(&text));
  return text;
}

bool is_word_byte(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z');
}

bool is_inside_word(std::string_view text, std::size_t at) {
  return at > 0 && at + 1 < text.size() && is_word_byte(text[at - 1]) && is_word_byte(text[at + 1]);
}

}  // namespace

std::string plain_text(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const char32_t point = take_point(&text);
    if (point == '\n' || point == '\t' || point == '\r') {
      plain.push_back(' ');
    } else if (!is_in(kInvisible, point)) {
      append_point(&plain, point);
    }
  }
  return plain;
}

namespace {

// Of the three characters that XML and Markdown must both not show as they are.
std::string_view entity_of(char byte) {
  if (byte == '&') return "&amp;";
  return byte == '<' ? "&lt;" : "&gt;";
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char byte : plain_text(without_folders(text))) {
    switch (byte) {
      case '&':
      case '<':
      case '>':
        escaped += entity_of(byte);
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default:
        escaped.push_back(byte);
    }
  }
  return escaped;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kBackslashed = "\\`*[#|~$";
  const std::string plain = plain_text(without_folders(text));
  std::string escaped;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char byte = plain[i];
    switch (byte) {
      case '&':
      case '<':
      case '>':
        escaped += entity_of(byte);
        break;
      case '@':
        escaped += "&#64;";
        break;   // no mentions
      case '_':  // in the middle of a word it is itself: input_wait
        escaped += is_inside_word(plain, i) ? "_" : "\\_";
        break;
      default:
        if (kBackslashed.find(byte) != std::string_view::npos) escaped.push_back('\\');
        escaped.push_back(byte);
    }
  }
  return escaped;
}

int width_of(std::string_view text) {
  int width = 0;
  while (!text.empty()) width += width_of_point(take_point(&text));
  return width;
}

std::string shortened(std::string_view text, int width) {
  if (width_of(text) <= width) return std::string(text);
  const int kept = std::max(width - 3, 2);
  std::string shorter(front_of(text, kept - kept / 3));
  return shorter.append("...").append(end_of(text, kept / 3));
}

std::vector<std::string> wrapped(std::string_view text, std::string_view first, int columns) {
  const std::string indent(static_cast<std::size_t>(width_of(first)), ' ');
  std::vector<std::string> lines;
  std::string line(first);
  bool has_word = false;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;
    int width = width_of(word);
    if (has_word && width_of(line) + 1 + width > columns) {
      lines.push_back(std::exchange(line, indent));
      has_word = false;
    }
    if (has_word) line.push_back(' ');
    while (width_of(line) + width > columns && width_of(line) < columns) {
      const std::string_view part = front_of(word, columns - width_of(line));
      if (part.empty()) break;
      lines.push_back(std::exchange(line, indent).append(part));
      word.remove_prefix(part.size());
      width -= width_of(part);
    }
    line.append(word);
    has_word = true;
  }
  lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string all;
  for (const std::string& part : parts) {
    if (!all.empty()) all.append(between);
    all.append(part);
  }
  return all;
}

}  // namespace traceml
