#pragma once
// User text (arm names, the question, file names) on its way into a report form.

#include <string>
#include <string_view>
#include <vector>

namespace traceml {

// One line for a terminal: line breaks and tabs are spaces; control characters, escape sequences'
// lead bytes and direction overrides are gone; what is not UTF-8 is U+FFFD.
std::string plain_text(std::string_view text);

// plain_text() without folders of this host (codec/shareable_text.h), escaped for an XML text or
// attribute.
std::string xml_text(std::string_view text);

// The same, with nothing left that GitHub's Markdown takes for mark-up or a table cell's border.
std::string markdown_text(std::string_view text);

// Columns that a terminal needs for UTF-8 text: wide East Asian characters take two.
int width_of(std::string_view text);

// At most `width` columns: "a-very-long...name" keeps both ends.
std::string shortened(std::string_view text, int width);

// Lines of at most `columns`, broken at spaces; the first starts with `first`, the others with as
// many spaces. A word longer than a line is broken.
std::vector<std::string> wrapped(std::string_view text, std::string_view first, int columns);

// "a, b, c".
std::string joined(const std::vector<std::string>& parts, std::string_view between);

}  // namespace traceml
