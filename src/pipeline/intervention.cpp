#include "atcav/intervention.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace atcav {
namespace {

constexpr std::size_t kMostNamed = 5;

}  // namespace

DoseResponse dose_response(const Moved& moved, Index column, double level) {
  DoseResponse response;
  response.inputs = moved.inputs;
  double quantile = HUGE_VAL;
  if (moved.inputs > 1) {
    const boost::math::students_t law(static_cast<double>(moved.inputs - 1));
    quantile = boost::math::quantile(law, (1 + level) / 2);
  }
  for (Index t = 0; t < moved.odd.rows(); ++t) {
    const double odd = moved.odd(t, column);
    const double reach = moved.inputs > 1 ? quantile * moved.error(t, column) : HUGE_VAL;
    response.odd.push_back(odd);
    response.low.push_back(odd - reach);
    response.high.push_back(odd + reach);
    response.even.push_back(moved.even(t, column));
    const bool single = column < moved.classes;
    response.rank.push_back(single ? 1 + (moved.odd.row(t).head(moved.classes).array() > odd).count() : 1);
  }
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
