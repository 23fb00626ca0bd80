#include "harness/plan/nearest.h"

#include <algorithm>
#include <cstddef>

namespace traceml {

namespace {

constexpr std::size_t kMaxShown = 60;

// Optimal string alignment distance.
std::size_t edits_between(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cells((a.size() + 1) * width);
  const auto cell = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return cells[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) cell(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cell(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cell(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      cell(i, j) = std::min({cell(i - 1, j) + 1, cell(i, j - 1) + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cell(i, j) = std::min(cell(i, j), cell(i - 2, j - 2) + 1);
      }
    }
  }
  return cell(a.size(), b.size());
}

}  // namespace

std::string shown(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::size_t end = std::min(text.size(), kMaxShown);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;  // not inside a UTF-8 sequence
  }
  std::string quoted = "'";
  for (const char c : text.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      quoted += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted + (end < text.size() ? "...'" : "'");
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  if (known.empty()) return "";
  const std::string* best = nullptr;
  std::size_t best_edits = 0;
  for (const std::string& name : known) {
    const std::size_t longest = std::max(name.size(), wrong.size());
    const std::size_t shortest = std::min(name.size(), wrong.size());
    const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
    if (longest - shortest > allowed) continue;
    const std::size_t edits = edits_between(wrong, name);
    if (edits > allowed || edits >= shortest) continue;
    if (best == nullptr || edits < best_edits) {
      best = &name;
      best_edits = edits;
    }
  }
  if (best != nullptr) return "; did you mean '" + *best + "'?";
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  return "; known: " + list;
}

}  // namespace traceml
