#pragma once

#include <string>
#include <string_view>

namespace traceml {

// Reports are shared, and a host path is private: "cannot read /home/ann/food-101/a.jpg" becomes
// "cannot read .../a.jpg". Paths that start with / or ~/ at the start of a word are shortened;
// relative ones, "images/s" and URLs stay.
std::string without_folders(std::string_view text);

}  // namespace traceml
