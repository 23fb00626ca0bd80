#include "harness/reports/series_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace traceml {
namespace {

constexpr int kRows = 9;
constexpr int kAxis = 11;  // "+12.34 % |"

struct Frame {
  double low = 0, high = 0;

  // From the top; a value beyond the frame is at its edge.
  int row_of(double value) const {
    const double place = (high - value) / (high - low) * (kRows - 1);
    return static_cast<int>(std::lround(std::clamp(place, 0.0, kRows - 1.0)));
  }
};

std::optional<Frame> frame_of(const SeriesChart& chart) {
  std::vector<double> values;
  for (const ChartPoint& point : chart.points) {
    if (point.value) values.push_back(*point.value);
  }
  if (values.size() < 2) return std::nullopt;
  if (chart.margin) values.push_back(*chart.margin);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double pad = *high > *low ? (*high - *low) / kRows : 0.01;
  return Frame{*low - pad, *high + pad};
}

int cell_width(std::size_t points, int columns) {
  return std::clamp((columns - kAxis) / static_cast<int>(points), 1, 4);
}

}  // namespace

std::size_t points_drawn(const SeriesChart& chart, int columns) {
  return std::min(chart.points.size(), static_cast<std::size_t>(columns - kAxis));
}

std::vector<std::string> draw_chart(const SeriesChart& chart, int columns) {
  const std::optional<Frame> frame = frame_of(chart);
  if (!frame) return {};
  const std::size_t drawn = points_drawn(chart, columns);
  const auto width = static_cast<std::size_t>(cell_width(drawn, columns));
  std::vector<std::string> rows(kRows + 1, std::string(width * drawn, ' '));
  std::vector<std::string> labels(kRows + 1);
  labels.front() = chart.label_of(frame->high);
  labels[kRows - 1] = chart.label_of(frame->low);
  if (chart.margin) {
    const auto row = static_cast<std::size_t>(frame->row_of(*chart.margin));
    labels[row] = chart.label_of(*chart.margin);
    rows[row].assign(width * drawn, '-');
  }
  for (std::size_t i = 0; i < drawn; ++i) {
    const ChartPoint& point = chart.points[chart.points.size() - drawn + i];
    const std::size_t column = (i + 1) * width - 1;
    rows[kRows][column] = point.mark;
    if (!point.value) continue;
    if (point.interval) {
      const int last = frame->row_of(point.interval->lower);
      for (int row = frame->row_of(point.interval->upper); row <= last; ++row) {
        rows[static_cast<std::size_t>(row)][column] = ':';
      }
    }
    rows[static_cast<std::size_t>(frame->row_of(*point.value))][column] = point.glyph;
  }
  std::vector<std::string> lines;
  for (std::size_t row = 0; row <= kRows; ++row) {
    std::string line = fmt::format("{:>9} {}{}", labels[row], row < kRows ? '|' : ' ', rows[row]);
    line.erase(line.find_last_not_of(' ') + 1);
    if (row < kRows || !line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace traceml
