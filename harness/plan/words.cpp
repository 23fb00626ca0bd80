#include <cstdio>
#include <optional>
#include <utility>

#include "harness/plan/command_keys.h"

namespace traceml {

namespace {

// Reads `[a, "b c"]` from left to right.
class WordsReader {
 public:
  explicit WordsReader(std::string_view text) : rest_(text) {}

  std::optional<std::vector<std::string>> read() {
    skip_blanks();
    if (!take('[')) return std::nullopt;
    std::vector<std::string> words;
    skip_blanks();
    while (!take(']')) {
      if (!words.empty() && !take(',')) return std::nullopt;
      skip_blanks();
      auto word = rest_.starts_with('"') ? quoted() : bare();
      if (!word) return std::nullopt;
      words.push_back(std::move(*word));
      skip_blanks();
    }
    skip_blanks();
    if (!rest_.empty()) return std::nullopt;
    return words;
  }

 private:
  void skip_blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  bool take(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::string> bare() {
    const std::size_t end = rest_.find_first_of(",[]{}\"");
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    std::string word(rest_.substr(0, end));
    rest_.remove_prefix(end);
    while (word.ends_with(' ')) word.pop_back();
    return is_plain(word) ? std::optional(word) : std::nullopt;
  }

  // No control character, which no argument of a config needs bare.
  static bool is_plain(std::string_view word) {
    for (const char c : word) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7F) return false;
    }
    return !word.empty();
  }

  std::optional<std::string> quoted() {
    rest_.remove_prefix(1);
    std::string word;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return word;
      if (c != '\\') {
        word.push_back(c);
      } else if (const auto escaped = escape()) {
        word.push_back(*escaped);
      } else {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  // After the backslash. Of \u only what a byte holds: in_double_quotes() writes no other.
  std::optional<char> escape() {
    if (rest_.empty()) return std::nullopt;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    switch (c) {
      case '"':
      case '\\':
      case '/':
        return c;
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'u':
        return byte_escape();
      default:
        return std::nullopt;
    }
  }

  std::optional<char> byte_escape() {
    unsigned value = 0;
    if (rest_.size() < 4 ||
        std::sscanf(std::string(rest_.substr(0, 4)).c_str(), "%4x", &value) != 1)
      return std::nullopt;
    rest_.remove_prefix(4);
    if (value == 0 || value > 0x7F) return std::nullopt;
    return static_cast<char>(value);
  }

  std::string_view rest_;
};

}  // namespace

std::string in_double_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted.append({'\\', c});
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      quoted += escaped;
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

ValueForm<std::vector<std::string>> words_form() {
  ValueForm<std::vector<std::string>> made;
  made.form = "list of words, as [python3, train.py, \"--name=a b\"]";
  made.read = [form = made.form](const std::string& text) -> Reading<std::vector<std::string>> {
    auto words = WordsReader(text).read();
    if (!words) return {std::nullopt, "is " + shown(text) + "; allowed: " + form};
    if (words->size() > kMaxCommandWords) {
      return {std::nullopt, "has " + std::to_string(words->size()) + " words; at most " +
                                std::to_string(kMaxCommandWords) + " are taken"};
    }
    return {std::move(words), ""};
  };
  made.print = [](const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
      text += (text.empty() ? "" : ", ") + in_double_quotes(word);
    return "[" + text + "]";
  };
  return made;
}

}  // namespace traceml
