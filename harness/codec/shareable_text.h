#pragma once

#include <string>
#include <string_view>

namespace traceml {

// Reports are shared, and a host path is private: "cannot read /home/ann/food-101/a.jpg" becomes
// "cannot read .../a.jpg". Paths that start with / or ~/ at the start of a word are shortened;
// relative ones, "images/s" and URLs stay.
std::string without_folders(std::string_view text);

// Of a text that is a path and nothing else, so that a folder may have spaces in its name:
// "/home/ann/my runs/a.json" becomes ".../a.json"; relative ones stay.
std::string path_without_folders(std::string_view path);

// Of a value of a config, which is a path or holds some.
std::string value_without_folders(std::string_view value);

// Of a name in a profiler's trace: "/home/ann/my job/train.py(12): main", a Python frame, becomes
// ".../train.py(12): main", also where the path is one of Windows; else without_folders().
std::string name_without_folders(std::string_view name);

}  // namespace traceml
