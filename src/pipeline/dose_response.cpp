#include "pipeline/dose_response.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace atcav {
namespace {

constexpr std::size_t kMostNamed = 5;

// Of a mean over inputs whose error has this part, and more from the examples.
std::vector<stats::VariancePart> parts_of(double inputs_error, Index inputs,
                                          const std::vector<std::vector<stats::VariancePart>>& examples,
                                          std::size_t dose) {
  std::vector<stats::VariancePart> parts = {{inputs_error * inputs_error, static_cast<double>(inputs - 1)}};
  if (!examples.empty()) parts.insert(parts.end(), examples[dose].begin(), examples[dose].end());
  return parts;
}

}  // namespace

DoseResponse dose_response(const Moved& moved, Index column, const MovedByExamples& examples, double level) {
  DoseResponse response;
  response.inputs = moved.inputs;
  for (Index t = 0; t < moved.odd.rows(); ++t) {
    const auto dose = static_cast<std::size_t>(t);
    const double odd = moved.odd(t, column);
    const double even = moved.even(t, column);
    stats::Interval of_odd{-HUGE_VAL, HUGE_VAL};
    stats::Interval of_even = of_odd;
    double p = 1;
    double from_examples = 0;
    if (moved.inputs > 1) {
      const auto parts = parts_of(moved.odd_error(t, column), moved.inputs, examples.odd, dose);
      of_odd = stats::t_interval(odd, parts, level);
      p = stats::two_sided_p(odd, parts);
      of_even = stats::t_interval(
          even, parts_of(moved.even_error(t, column), moved.inputs, examples.even, dose), level);
    }
    if (!examples.odd.empty()) from_examples = std::sqrt(stats::total_variance(examples.odd[dose]));
    response.odd.push_back(odd);
    response.low.push_back(of_odd.low);
    response.high.push_back(of_odd.high);
    response.p.push_back(p);
    response.error_inputs.push_back(moved.odd_error(t, column));
    response.error_examples.push_back(from_examples);
    response.skewness.push_back(moved.odd_skewness(t, column));
    response.even.push_back(even);
    response.even_low.push_back(of_even.low);
    response.even_high.push_back(of_even.high);
    const bool single = column < moved.classes;
    response.rank.push_back(single ? 1 + (moved.odd.row(t).head(moved.classes).array() > odd).count() : 1);
  }
  response.bonferroni = response.benjamini_hochberg = response.p;
  return response;
}

SpeaksFor speaks_for(const Moved& on_random, const std::vector<std::string>& names) {
  const auto name = [&names](Index logit) {
    const auto place = static_cast<std::size_t>(logit);
    return place < names.size() ? names[place] : "";
  };
  const auto odd = on_random.odd.row(on_random.odd.rows() - 1).head(on_random.classes);
  std::vector<Index> order(static_cast<std::size_t>(odd.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&odd](Index a, Index b) { return odd(a) > odd(b); });
  SpeaksFor found;
  const std::size_t named = std::min(kMostNamed, order.size());
  for (std::size_t i = 0; i < named; ++i) {
    const Index up = order[i];
    const Index down = order[order.size() - 1 - i];
    found.most.push_back({up, name(up), odd(up)});
    found.least.push_back({down, name(down), odd(down)});
  }
  return found;
}

}  // namespace atcav
