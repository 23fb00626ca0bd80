#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace traceml {

// Text of a user inside a message: in single quotes, control characters as \xNN, cut after 60
// bytes.
std::string shown(std::string_view text);

// "; did you mean 'workers'?" for the known name with the fewest edits (insert, delete, replace,
// swap of neighbours; at most a third of the word), "; known: a, b, c" where none is near.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace traceml
