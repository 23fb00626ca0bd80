#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/codec/raw_text.h"
#include "harness/core/records.h"

namespace traceml {

struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// The fields of one line of a raw file, from left to right. Every reader throws RunError naming
// file, line and column where the field is missing or not what it reads.
class RawRow {
 public:
  // `raw` outlives the row; `header` holds the names of the columns.
  RawRow(const RawText& raw, std::string_view header, std::int64_t line, std::string_view text)
      : raw_(raw), header_(header), line_(line), rest_(text) {}

  // Unquoted. Valid until the next field is read.
  std::string_view text();

  // nullopt for an empty field.
  std::optional<std::int64_t> optional_whole(WholeRange range);
  std::optional<double> optional_decimal();  // NaN and infinities included
  std::optional<Nanos> optional_nanos(WholeRange range);

  std::int64_t whole(WholeRange range);
  int number();  // a whole number from 0
  Nanos nanos(WholeRange range);

  // Two fields: a phase on the two clocks.
  std::optional<DualTime> dual_time();

  // Whether the file has it as its last one: files of older runs may not.
  bool has_last_column(std::string_view name) const { return header_.ends_with(name); }

  // Throws where fields are left.
  void finish();

  [[noreturn]] void fail(std::string_view what, std::string_view field = {}) const;

 private:
  std::optional<std::int64_t> whole_in(std::string_view field, WholeRange range) const;
  std::string_view quoted();
  void advance(std::size_t comma);

  const RawText& raw_;
  std::string_view header_;
  std::int64_t line_;
  std::string_view rest_;
  std::string unquoted_;
  int column_ = 0;
  bool done_ = false;
};

}  // namespace traceml
