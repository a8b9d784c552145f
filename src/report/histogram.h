#pragma once

#include <vector>

#include "atcav/matrix.h"

namespace atcav::report {

// How many values of each list lie in bins of equal width, about 24 over all of them. `anchor` is an edge, so
// that no bin holds values from both sides of it; a value at an edge counts below it, as TCAV counts a zero
// as not positive.
struct Histogram {
  double from = 0;
  double width = 1;
  std::vector<std::vector<Index>> counts;  // one for each list
  double edge(std::size_t i) const { return from + width * static_cast<double>(i); }
};
Histogram make_histogram(const std::vector<std::vector<double>>& lists, double anchor);

}  // namespace atcav::report
