#include "harness/reports/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/reports/figures.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

constexpr int kGap = 2;

// A head in one line; a line break of ours, or of a user's name, is a space.
std::string one_line(const Column& column) {
  return plain_text(column.head);
}

// The line of a head that stands `from_bottom` lines above the first row, counted from 0.
std::string head_line(const Column& column, int from_bottom) {
  const std::string& head = column.head;
  const std::size_t line_break = column.is_name ? std::string::npos : head.find('\n');
  if (line_break == std::string::npos) return from_bottom == 0 ? one_line(column) : "";
  return from_bottom == 0 ? head.substr(line_break + 1) : head.substr(0, line_break);
}

class TableDrawing {
 public:
  TableDrawing(const Table& table, int columns) : table_(table), columns_(columns) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const int natural = natural_width(i);
      widths_.push_back(table.columns[i].is_name ? std::min(natural, columns * 3 / 8) : natural);
    }
    shown_.resize(table.columns.size());
    std::iota(shown_.begin(), shown_.end(), std::size_t{0});
  }

  std::string draw() {
    drop_what_does_not_fit();
    give_names_the_rest();
    std::string text;
    std::size_t next = 1;
    do {
      const std::size_t end = block_end(next);
      std::vector<std::size_t> block = {shown_.front()};
      block.insert(block.end(), shown_.begin() + std::ptrdiff_t(next),
                   shown_.begin() + std::ptrdiff_t(end));
      draw_block(block, &text);
      next = end;
    } while (next < shown_.size());
    if (!dropped_.empty()) {
      const std::string note = fmt::format("(left out at {} columns, in {}: {})", columns_,
                                           table_.rest_in, joined(dropped_, ", "));
      for (const std::string& line : wrapped(note, "", columns_)) text += line + "\n";
    }
    return text;
  }

 private:
  int natural_width(std::size_t column) const {
    int width = std::max(width_of(head_line(table_.columns[column], 0)),
                         width_of(head_line(table_.columns[column], 1)));
    for (const auto& row : table_.rows) width = std::max(width, width_of(plain_text(row[column])));
    return width;
  }

  int total_width() const {
    int width = -kGap;
    for (const std::size_t column : shown_) width += widths_[column] + kGap;
    return width;
  }

  // All columns of one drop_order go together.
  void drop_what_does_not_fit() {
    const auto order = [this](std::size_t column) { return table_.columns[column].drop_order; };
    int below = 0;
    while (total_width() > columns_) {
      below = 0;
      for (const std::size_t column : shown_) below = std::max(below, order(column));
      if (below == 0) break;
      std::erase_if(shown_, [&](std::size_t column) { return order(column) == below; });
    }
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      if (std::find(shown_.begin(), shown_.end(), i) != shown_.end()) continue;
      const std::string head = one_line(table_.columns[i]);
      if (std::find(dropped_.begin(), dropped_.end(), head) == dropped_.end()) {
        dropped_.push_back(head);
      }
    }
  }

  void give_names_the_rest() {
    for (const std::size_t column : shown_) {
      if (!table_.columns[column].is_name) continue;
      const int rest = std::max(columns_ - total_width(), 0);
      widths_[column] = std::min(natural_width(column), widths_[column] + rest);
    }
  }

  // Past the last column of the block that starts with `next`; at least one column a block.
  std::size_t block_end(std::size_t next) const {
    int width = widths_[shown_.front()];
    std::size_t end = next;
    while (end < shown_.size() &&
           (end == next || width + kGap + widths_[shown_[end]] <= columns_)) {
      width += kGap + widths_[shown_[end]];
      ++end;
    }
    return end;
  }

  void draw_block(const std::vector<std::size_t>& block, std::string* text) const {
    for (const int from_bottom : {1, 0}) {
      std::vector<std::string> heads;
      for (const std::size_t column : block) {
        heads.push_back(head_line(table_.columns[column], from_bottom));
      }
      const bool any = std::any_of(heads.begin(), heads.end(),
                                   [](const std::string& head) { return !head.empty(); });
      if (any) *text += line_of(block, heads);
    }
    for (const auto& row : table_.rows) {
      std::vector<std::string> cells;
      for (const std::size_t column : block) cells.push_back(row[column]);
      *text += line_of(block, cells);
    }
  }

  std::string line_of(const std::vector<std::size_t>& block,
                      const std::vector<std::string>& cells) const {
    std::string line;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (i > 0) line.append(kGap, ' ');
      const std::string cell = shortened(plain_text(cells[i]), widths_[block[i]]);
      const auto padding = static_cast<std::size_t>(widths_[block[i]] - width_of(cell));
      const bool left = table_.columns[block[i]].left;
      if (!left) line.append(padding, ' ');
      line += cell;
      if (left) line.append(padding, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  const Table& table_;
  int columns_;
  std::vector<int> widths_;
  std::vector<std::size_t> shown_;
  std::vector<std::string> dropped_;
};

}  // namespace

void drop_empty_columns(Table* table) {
  for (std::size_t column = table->columns.size(); column-- > 1;) {
    const bool any = std::any_of(table->rows.begin(), table->rows.end(),
                                 [column](const auto& row) { return row[column] != kNull; });
    if (any) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table->columns.erase(table->columns.begin() + at);
    for (auto& row : table->rows) row.erase(row.begin() + at);
  }
}

std::string draw_table(const Table& table, int columns) {
  std::string text;
  const std::string caption = plain_text(fmt::format("{}: {}", table.title, table.caption));
  for (const std::string& line : wrapped(caption, "", columns)) {
    text += line + "\n";
  }
  text += TableDrawing(table, columns).draw();
  for (const std::string& remark : table.remarks) {
    for (const std::string& line : wrapped(plain_text(remark), "", columns)) text += line + "\n";
  }
  return text;
}

std::string markdown_table(const Table& table) {
  std::string text;
  if (!table.title.empty()) text += fmt::format("### {}\n\n", markdown_text(table.title));
  text += markdown_text(table.caption) + "\n\n|";
  std::string rule = "|";
  for (const Column& column : table.columns) {
    text += fmt::format(" {} |", markdown_text(column.head));
    rule += column.left ? " :--- |" : " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const std::string& cell : row) text += fmt::format(" {} |", markdown_text(cell));
    text += "\n";
  }
  for (const std::string& remark : table.remarks) {
    text += fmt::format("\n{}\n", markdown_text(remark));
  }
  return text;
}

}  // namespace traceml
