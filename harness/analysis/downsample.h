#pragma once
// Long rows of values in few bins, without losing what a reader looks for: a bin keeps its least
// value, its mean, its largest, and those that stand out.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/distribution.h"
#include "harness/analysis/range.h"

namespace traceml {

// Places [begin, end) of a row.
struct BinSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
  friend bool operator==(const BinSpan&, const BinSpan&) = default;
};

// Of a row of sections (windows) of these lengths, end to end: `most` bins or a few more, as equal
// as they can be, which cover every place once and in order. No bin crosses the border of a
// section, unless there are more sections than bins: then each holds whole sections. `most` is 1 at
// least.
std::vector<BinSpan> bin_spans(std::span<const std::size_t> sections, std::size_t most);

struct Bin {
  std::optional<Range> range;             // null where every value is null
  std::vector<std::size_t> standing_out;  // places in the bin, ascending: the furthest outside
  std::size_t left_out = 0;               // others outside the fences
};

// `fences` null: nothing stands out. At most `most` of those outside are kept; of equally far ones
// the first.
Bin bin_of(std::span<const std::optional<double>> values, const std::optional<Fences>& fences,
           std::size_t most);

}  // namespace traceml
