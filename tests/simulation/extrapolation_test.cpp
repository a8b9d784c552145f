// docs/theory/interval.md: does half-sample extrapolation bring a score closer to the one that unlimited
// examples would give? Root mean square distance over 100 problems, with and without it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "apps/paper/synthetic.h"

namespace atcav::paper {
namespace {

TEST(Extrapolation, ComesCloserInAtLeastFifteenOfEighteenSettings) {
  int closer = 0;
  for (const double length : {0.8, 2.0, 4.0}) {
    for (const auto& [n_random, n_concept] : {std::pair<Index, Index>{50, 50}, {500, 100}, {1000, 1000}}) {
      // As many halves as the program takes.
      const AttenuationSetting setting{n_random, n_concept, length, {1, 3}, 32};
      const AttenuationScores scores = simulate_attenuation(setting, {.repeats = 50, .seed = 6});
      for (const Index a : {0, 1}) {
        const double plain = distance_between(scores.smooth.col(a), scores.population.col(a));
        const double extrapolated = distance_between(scores.extrapolated.col(a), scores.population.col(a));
        if (extrapolated < plain) ++closer;
        fmt::print("|mu| = {:<3} n1, n2 = {:>4}, {:>4} alpha {}:  {:.4f} -> {:.4f}\n", length, n_random,
                   n_concept, setting.alphas[static_cast<std::size_t>(a)], plain, extrapolated);
      }
    }
  }
  fmt::print("closer in {} of 18 settings\n", closer);
  EXPECT_GE(closer, 15);
}

}  // namespace
}  // namespace atcav::paper
