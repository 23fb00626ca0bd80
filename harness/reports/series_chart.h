#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/summary.h"

namespace traceml {

struct ChartPoint {
  char glyph = 'o';
  char mark = ' ';              // below the axis
  std::optional<double> value;  // null: the column stays empty
  std::optional<Interval> interval;
};

struct SeriesChart {
  std::vector<ChartPoint> points;  // left to right
  std::optional<double> margin;    // a line across
  std::function<std::string(double)> label_of;
};

// Plain characters, so that it stands in a log: some lines of a value axis, bars of ':' for the
// intervals (cut off at the frame, which holds the values and the margin), and one line of marks.
// Of more points than `columns` hold the last are drawn. Empty without two values.
std::vector<std::string> draw_chart(const SeriesChart& chart, int columns);

// How many of the points are drawn.
std::size_t points_drawn(const SeriesChart& chart, int columns);

}  // namespace traceml
