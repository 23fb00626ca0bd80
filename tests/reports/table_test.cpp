#include "harness/reports/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/reports/text.h"

namespace traceml {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Table sample_table() {
  Table table;
  table.title = "Arms";
  table.caption = "ms per step";
  table.columns = {
      {"arm", true, 0, true}, {"wall"}, {"step\nhost", false, 1, false}, {"p99", false, 2, false}};
  table.rows = {{"reference", "42.19", "42.02", "45.1"}, {"shipped", "143.14", "-", "1.2"}};
  table.remarks = {"a remark"};
  return table;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Table, LinesUpNamesOnTheLeftAndFiguresOnTheRight) {
  EXPECT_EQ(draw_table(sample_table(), 80),
            "Arms: ms per step\n"
            "                    step\n"
            "arm          wall   host   p99\n"
            "reference   42.19  42.02  45.1\n"
            "shipped    143.14      -   1.2\n"
            "a remark\n");
}

TEST(Table, LeavesOutTheLeastImportantColumnsAndSaysWhich) {
  const std::string text = draw_table(sample_table(), 25);
  EXPECT_THAT(text, HasSubstr("arm          wall   host\n"));
  EXPECT_THAT(text, Not(HasSubstr("45.1")));
  EXPECT_THAT(text, HasSubstr("(left out at 25 columns,\nin summary.md: p99)"));
}

TEST(Table, GoesOnBelowWhereColumnsThatMustStayDoNotFit) {
  Table table = sample_table();
  table.columns.assign(4, Column{"figure", false, 0, false});
  table.columns[0] = {"arm", true, 0, true};
  for (const std::string& line : lines_of(draw_table(table, 25))) EXPECT_LE(width_of(line), 25);
  EXPECT_THAT(draw_table(table, 25), HasSubstr("45.1"));
}

TEST(Table, NeverGrowsWiderThanItsColumnsForALongName) {
  Table table = sample_table();
  table.rows[0][0] = std::string(300, 'x');
  for (const int columns : {40, 80, 120}) {
    for (const std::string& line : lines_of(draw_table(table, columns))) {
      EXPECT_LE(width_of(line), columns);
    }
  }
}

TEST(Table, InMarkdownKeepsItsColumnsWhateverTheCellsHold) {
  Table table = sample_table();
  table.rows[0][0] = "a|b\n|c|";
  const std::string text = markdown_table(table);
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("|")) continue;
    int borders = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      borders += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    }
    EXPECT_EQ(borders, 5) << line;
  }
  EXPECT_THAT(text, HasSubstr("| arm | wall | step host | p99 |"));
}

}  // namespace
}  // namespace traceml
