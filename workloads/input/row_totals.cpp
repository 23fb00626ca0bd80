#include "workloads/input/row_totals.h"

#include <algorithm>

namespace traceml {

namespace {

constexpr std::size_t kMostNamedFiles = 20;

}  // namespace

RowTotals::RowTotals() {
  replaced_files_.reserve(kMostNamedFiles);
}

void RowTotals::add(std::span<RowFacts> rows) {
  samples_ += std::ssize(rows);
  for (RowFacts& row : rows) {
    if (row.grey) ++grey_;
    if (row.scaled) ++scaled_;
    if (row.replaced == 0) continue;
    ++replaced_;
    const bool named = std::find(replaced_files_.begin(), replaced_files_.end(), row.problem) !=
                       replaced_files_.end();
    if (!named && replaced_files_.size() < kMostNamedFiles) {
      replaced_files_.push_back(std::move(row.problem));
    }
  }
}

std::map<std::string, std::int64_t> RowTotals::counters() const {
  return {{"samples_delivered", samples_},
          {"samples_grey", grey_},
          {"samples_replaced", replaced_},
          {"samples_scaled", scaled_}};
}

}  // namespace traceml
