#pragma once
// A list of images with their labels, as CSV: path,label.

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/input/dataset.h"

namespace traceml {

// A sample of a list with the line on which its record begins, from 1.
struct ListedSample {
  Sample sample;
  std::int64_t line = 0;
};

struct CsvList {
  std::vector<std::string> classes;   // as Dataset::classes
  std::vector<ListedSample> samples;  // in the order of the list
};

// One path,label a record, fields quoted as RFC 4180 has it; a first record `path,label` is a head;
// empty lines count for nothing. Labels are integers from 0 to 99,999, which are labels as they
// are, or else names of classes, whose labels are their places in the sorted names. Throws RunError
// naming `name` and the line: no two fields, a quote out of place or without an end, a path or
// label that is none, integers and names in one list, a path with two labels.
CsvList read_csv_list(const std::string& text, const std::string& name);

}  // namespace traceml
