// MATH section 5, docs/theory/interval.md: does half-sample extrapolation bring a score closer to the one
// that infinitely many examples would give? Root mean square distance over problems, with and without it.
#include "atcav/span/noise.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "atcav/base/parallel.h"
#include "atcav/span/refit.h"
#include "atcav/span/resampling.h"
#include "atcav/stats/score.h"
#include "simulation/problem.h"

namespace atcav::simulation {
namespace {

constexpr Index kProblems = 150;
constexpr Index kHalfSplits = 32;  // as the program
constexpr std::array<double, 2> kAlphas = {1, 3};

struct Distance {
  double plain = 0;
  double extrapolated = 0;
};

std::array<Distance, 2> distances(double length, Sizes sizes) {
  Matrix plain(kProblems, 2);
  Matrix extrapolated(kProblems, 2);
  parallel_for(kProblems, 0, [&](Index k) {
    const auto number = static_cast<std::uint64_t>(k);
    Stream stream(6, {kTaskSimulation, static_cast<std::uint64_t>(100 * length),
                      static_cast<std::uint64_t>(sizes.random), number});
    const Problem problem = draw_problem({length, 0.5, Lean::kOne}, stream);
    const Sample sample = draw_sample(problem, sizes, stream);
    const span::MeanRefitter refitter(sample.random, sample.of_concept, false);
    const Vector s = refitter.full();
    const Matrix halves = span::half_runs(refitter, kHalfSplits, {.seed = 6, .key = number, .threads = 1});
    for (Index a = 0; a < 2; ++a) {
      const stats::ScoreRule rule = stats::alpha_rule(kAlphas[a]);
      const double population = stats::score(problem.truth, rule);
      plain(k, a) = stats::score(s, rule) - population;
      extrapolated(k, a) = span::extrapolate(s, halves, rule) - population;
    }
  });
  std::array<Distance, 2> found;
  for (Index a = 0; a < 2; ++a) {
    found[a] = {std::sqrt(plain.col(a).squaredNorm() / kProblems),
                std::sqrt(extrapolated.col(a).squaredNorm() / kProblems)};
  }
  return found;
}

TEST(Extrapolation, ComesCloserInAtLeastFifteenOfEighteenSettings) {
  int closer = 0;
  for (const double length : {0.8, 2.0, 4.0}) {
    for (const Sizes sizes : {Sizes{50, 50}, Sizes{500, 100}, Sizes{1000, 1000}}) {
      const std::array<Distance, 2> found = distances(length, sizes);
      for (std::size_t a = 0; a < 2; ++a) {
        if (found[a].extrapolated < found[a].plain) ++closer;
        fmt::print("|mu| = {:<3} n1, n2 = {:>4}, {:>4} alpha {}:  {:.4f} -> {:.4f}\n", length, sizes.random,
                   sizes.of_concept, kAlphas[a], found[a].plain, found[a].extrapolated);
      }
    }
  }
  fmt::print("closer in {} of 18 settings\n", closer);
  EXPECT_GE(closer, 15);
}

}  // namespace
}  // namespace atcav::simulation
