#include "harness/codec/raw_row.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <system_error>

#include "harness/core/error.h"

namespace traceml {
namespace {

// 2^50 ns are 13 days: a step may take a day at most (measure.step_timeout).
constexpr WholeRange kDurations = {-(1LL << 50), 1LL << 50};

}  // namespace

std::string_view RawRow::text() {
  ++column_;
  if (done_) fail("is missing");
  if (!rest_.empty() && rest_.front() == '"') return quoted();
  const std::size_t comma = rest_.find(',');
  const std::string_view field = rest_.substr(0, comma);
  advance(comma);
  return field;
}

std::optional<std::int64_t> RawRow::optional_whole(WholeRange range) {
  return whole_in(text(), range);
}

std::optional<std::int64_t> RawRow::whole_in(std::string_view field, WholeRange range) const {
  if (field.empty()) return std::nullopt;
  std::int64_t value = 0;
  const char* end = field.data() + field.size();
  const auto [stopped, error] = std::from_chars(field.data(), end, value);
  if (stopped != end) fail("is no whole number", field);
  if (error != std::errc{} || value < range.least || value > range.most) {
    fail(fmt::format("is not from {} to {}", range.least, range.most), field);
  }
  return value;
}

std::optional<double> RawRow::optional_decimal() {
  const std::string_view field = text();
  if (field.empty()) return std::nullopt;
  double value = 0;
  const char* end = field.data() + field.size();
  const auto [stopped, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc{} || stopped != end) fail("is no number", field);
  return value;
}

std::optional<Nanos> RawRow::optional_nanos(WholeRange range) {
  const auto value = optional_whole(range);
  return value ? std::optional(Nanos(*value)) : std::nullopt;
}

std::int64_t RawRow::whole(WholeRange range) {
  const auto value = optional_whole(range);
  if (!value) fail("is empty");
  return *value;
}

int RawRow::number() {
  return static_cast<int>(whole({0, std::numeric_limits<int>::max()}));
}

Nanos RawRow::nanos(WholeRange range) {
  return Nanos(whole(range));
}

std::optional<DualTime> RawRow::dual_time() {
  const std::string_view field = text();
  if (field == kUntimed) {
    if (optional_nanos(kDurations)) fail("follows a phase without a time");
    return DualTime{};
  }
  const auto host = whole_in(field, kDurations);
  const std::optional<Nanos> device = optional_nanos(kDurations);
  if (!host && !device) return std::nullopt;
  return DualTime{host ? std::optional(Nanos(*host)) : std::nullopt, device};
}

void RawRow::finish() {
  if (!done_) throw RunError(fmt::format("{}:{}: more fields than columns", raw_.path, line_));
}

void RawRow::fail(std::string_view what, std::string_view field) const {
  std::string_view names = header_;
  for (int i = 1; i < column_; ++i) names.remove_prefix(names.find(',') + 1);
  throw RunError(fmt::format("{}:{}: column {}{} {}", raw_.path, line_,
                             names.substr(0, names.find(',')),
                             field.empty() ? "" : fmt::format(" '{}'", field), what));
}

std::string_view RawRow::quoted() {
  unquoted_.clear();
  rest_.remove_prefix(1);
  for (;;) {
    const std::size_t quote = rest_.find('"');
    if (quote == std::string_view::npos) fail("has no closing quote");
    unquoted_.append(rest_.substr(0, quote));
    rest_.remove_prefix(quote + 1);
    if (rest_.empty() || rest_.front() != '"') break;
    unquoted_.push_back('"');
    rest_.remove_prefix(1);
  }
  if (!rest_.empty() && rest_.front() != ',') fail("goes on after its closing quote");
  advance(rest_.empty() ? std::string_view::npos : 0);
  return unquoted_;
}

void RawRow::advance(std::size_t comma) {
  done_ = comma == std::string_view::npos;
  rest_.remove_prefix(done_ ? rest_.size() : comma + 1);
}

}  // namespace traceml
