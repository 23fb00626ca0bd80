#pragma once

namespace traceml {

// Critical value t*_n of the mixture-t confidence sequence (Wang and Ramdas; docs/statistics.md,
// 2.12): mean -+ t*_n sd / sqrt(n) holds at every n >= 2 at once with error `alpha` a side. `c2` is
// the mixing variance. Infinite where n is still too small for a bound.
double mixture_t(int n, double alpha, double c2 = 1);

}  // namespace traceml
