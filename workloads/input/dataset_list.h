#pragma once
// The lists of a Food-101 tree, meta/train.json and meta/train.txt, as text.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace traceml {

// Class -> the paths of its images, relative to the data set's folder.
using DatasetList = std::map<std::string, std::vector<std::string>>;

// {"CLASS": ["CLASS/ID", ...], ...}. Throws RunError, opening with `name` and line:column, for text
// that is not JSON; and naming the class or entry that is not of this form.
DatasetList read_json_list(const std::string& text, const std::string& name);

// One CLASS/ID a line. Throws RunError naming `name`, the line and the entry.
DatasetList read_text_list(const std::string& text, const std::string& name);

}  // namespace traceml
