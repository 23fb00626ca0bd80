#pragma once
// The files of page/ and Chart.js as text; the build writes the source (ci/cmake/EmbedPage.cmake).

#include <string_view>

namespace traceml {

extern const std::string_view kPageTemplate;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;   // page/*.js, end to end
extern const std::string_view kChartScript;  // Chart.js

}  // namespace traceml
