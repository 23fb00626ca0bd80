#include "harness/analysis/downsample.h"

#include <algorithm>

namespace traceml {

namespace {

std::size_t divided_up(std::size_t all, std::size_t parts) {
  return (all + parts - 1) / parts;
}

// Spans of at most `width` places, as equal as they can be.
void cut(BinSpan section, std::size_t width, std::vector<BinSpan>* spans) {
  const std::size_t parts = divided_up(section.size(), width);
  for (std::size_t part = 0; part < parts; ++part) {
    spans->push_back({section.begin + section.size() * part / parts,
                      section.begin + section.size() * (part + 1) / parts});
  }
}

double beyond(const Fences& fences, double value) {
  return std::max(fences.lower - value, value - fences.upper);
}

}  // namespace

std::vector<BinSpan> bin_spans(std::span<const std::size_t> sections, std::size_t most) {
  std::size_t all = 0;
  for (const std::size_t length : sections) all += length;
  const std::size_t per_bin = divided_up(sections.size(), most);
  const std::size_t width = std::max<std::size_t>(divided_up(all, most), 1);
  std::vector<BinSpan> spans;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sections.size(); i += std::max<std::size_t>(per_bin, 1)) {
    BinSpan section{begin, begin};
    for (std::size_t k = i; k < std::min(i + per_bin, sections.size()); ++k) {
      section.end += sections[k];
    }
    cut(section, per_bin > 1 ? std::max<std::size_t>(section.size(), 1) : width, &spans);
    begin = section.end;
  }
  return spans;
}

Bin bin_of(std::span<const std::optional<double>> values, const std::optional<Fences>& fences,
           std::size_t most) {
  Bin bin;
  RangeOf range;
  for (std::size_t place = 0; place < values.size(); ++place) {
    if (!values[place]) continue;
    range.add(*values[place]);
    if (fences && beyond(*fences, *values[place]) > 0) bin.standing_out.push_back(place);
  }
  bin.range = range.range();
  if (bin.standing_out.size() <= most) return bin;
  bin.left_out = bin.standing_out.size() - most;
  std::stable_sort(bin.standing_out.begin(), bin.standing_out.end(),
                   [&](std::size_t a, std::size_t b) {
                     return beyond(*fences, *values[a]) > beyond(*fences, *values[b]);
                   });
  bin.standing_out.resize(most);
  std::sort(bin.standing_out.begin(), bin.standing_out.end());
  return bin;
}

}  // namespace traceml
