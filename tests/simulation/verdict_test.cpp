// docs/theory/significance.md and interval.md: what the three verdicts, the test over all results at once,
// the test of "some inputs use it" and the widened intervals keep of what they promise.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "atcav/run.h"
#include "core/parallel.h"
#include "tests/simulation/use_cells.h"

namespace atcav::simulation {
namespace {

constexpr double kAlpha = 0.05;

// Declared at |d| = ε, with ε each problem's own d: the two one-sided tests' level.
TEST(Equivalence, IsDeclaredAtItsBoundInFivePercent) {
  const Index count = repeats(150);
  fmt::print("'not beyond' where |d| is the bound, {} problems per cell\n", count);
  for (const Rows rows : kAllRows) {
    for (const Size& size : {Size{1000, 1000, 1}, Size{200, 1000, 0.6}, Size{50, 300, 2}}) {
      if (!whole() && size.n_concept != 200) continue;
      const double errors = 1 / static_cast<double>(size.n_random) +
                            size.spread * size.spread / static_cast<double>(size.n_concept);
      const Process process{
          .rows = rows, .size = size, .inputs = 40, .signal = 0.3 / std::sqrt(errors), .alike = true};
      double declared = 0;
      for (const auto& [drawn, result] : solve(process, stats::CavMethod::kPattern, count, 23, false))
        declared += stats::equivalence_p(result.effect, std::abs(drawn.d)) < kAlpha;
      const Share found = share(declared, count);
      fmt::print("{}: {:.3f} ± {:.3f}\n", cell(process), found.value, found.error);
      expect_within(found, 0, 0.06, cell(process));
    }
  }
}

// No input uses the concept: false alarms. Every input uses it in its own way and the mean is 0: power.
TEST(SomeInputs, KeepsItsLevelAndFindsDividedUse) {
  const Index count = repeats(100);
  fmt::print("'some inputs use it' below 0.05 and 0.01, {} problems per cell\n", count);
  for (const Rows rows : kAllRows) {
    for (std::size_t s = 0; s < 3; ++s) {
      for (const Index inputs : {5, 20, 100}) {
        if (!whole() && inputs != 20) continue;
        const auto alarms = [&](double below, const Solved& solved) {
          double hits = 0;
          for (const auto& [drawn, result] : solved) hits += result.examples->some_inputs.p < below;
          return share(hits, count);
        };
        const Process none{.rows = rows, .size = kSizes[s], .inputs = inputs, .alike = true};
        Process divided = none;
        divided.alike = false;
        const Solved nobody = solve(none, stats::CavMethod::kPattern, count, 24, false);
        const Share at_05 = alarms(0.05, nobody);
        const Share at_01 = alarms(0.01, nobody);
        const Share power = alarms(0.05, solve(divided, stats::CavMethod::kPattern, count, 25, false));
        fmt::print("{} m {:>3}: {:.3f} {:.3f} (± {:.3f}); power {:.2f}\n", cell(none), inputs, at_05.value,
                   at_01.value, at_05.error, power.value);
        expect_within(at_05, 0.02, 0.09, cell(none));
        expect_within(at_01, 0, 0.04, cell(none));
        // Fifteen rows of twice the spread leave more noise in a single input than its use.
        if (s > 0) {
          EXPECT_GE(power.value, 0.9) << cell(none);
        }
      }
    }
  }
}

struct Family {
  double bonferroni = 0, max_t = 0, covered = 0;
};

// Pictures split at random: no class uses anything. 40 classes of a linear head over rows after a ReLU of
// which each unit is active in a tenth.
Family family_of(Index n_concept, bool skewed, std::uint64_t number) {
  constexpr Index kColumns = 60;
  Stream stream(26, {kTaskSimulation, static_cast<std::uint64_t>(n_concept), skewed ? 1U : 0U, number});
  const auto rows = [&](Index n) -> MatrixF {
    Matrix x = stream.normal_matrix(n, kColumns);
    if (skewed) x = (x.array() - 1.28).cwiseMax(0);
    return x.cast<float>();
  };
  const MatrixF of_concept = rows(n_concept);
  const MatrixF random = rows(300);
  std::vector<MatrixF> gradients;
  for (int k = 0; k < 40; ++k)
    gradients.push_back(stream.normal_matrix(1, kColumns).replicate(2, 1).cast<float>());
  std::vector<NamedRows> classes;
  for (const MatrixF& gradient : gradients) classes.push_back({fmt::format("{}", classes.size()), gradient});
  Options options;
  options.bootstrap = 2;
  options.permutations = 199;
  options.threads = 1;
  Family family{1, 1, 1};
  for (const Result& result : score({{"none", of_concept}}, random, classes, options).results) {
    const Significance& found = result.examples->significance;
    family.bonferroni = std::min(family.bonferroni, found.bonferroni);
    family.max_t = std::min(family.max_t, found.max_t.value());
    const stats::Interval& interval = result.effect.simultaneous.value();
    if (interval.low > 0 || interval.high < 0) family.covered = 0;
  }
  return family;
}

TEST(MaxT, KeepsTheFamilyWiseErrorWhereBonferroniDoesNot) {
  const Index count = repeats(120);
  fmt::print("family-wise error over 40 classes at 0.05, {} problems per cell\n", count);
  for (const bool skewed : {false, true}) {
    for (const Index n_concept : {8, 30}) {
      std::vector<Family> found(static_cast<std::size_t>(count));
      parallel_for(count, 0, [&](Index i) {
        found[static_cast<std::size_t>(i)] = family_of(n_concept, skewed, static_cast<std::uint64_t>(i));
      });
      double bonferroni = 0, max_t = 0, covered = 0;
      for (const Family& family : found) {
        bonferroni += family.bonferroni < kAlpha;
        max_t += family.max_t < kAlpha;
        covered += family.covered;
      }
      const Share of_max_t = share(max_t, count);
      fmt::print("{} n_c {:>2}: Bonferroni {:.3f}  max-T {:.3f} ± {:.3f}  intervals hold all {:.3f}\n",
                 skewed ? "ReLU  " : "normal", n_concept, share(bonferroni, count).value, of_max_t.value,
                 of_max_t.error, share(covered, count).value);
      expect_within(of_max_t, 0, 0.06, "max-T");
      expect_within(share(covered, count), 0.94, 1, "simultaneous intervals");
    }
  }
}

// Gradients that agree: z = coherence·b + noise. The target is the score that as many examples give on
// average, from 200 fresh CAVs.
TEST(Intervals, HoldTheExpectedScoreWhereGradientsAgree) {
  const Index count = repeats(40);
  constexpr Index kColumns = 20;
  constexpr Index kInputs = 30;
  fmt::print("coverage of alpha = 1, 95 %, {} problems per cell\n", count);
  double mean = 0;
  int cells = 0;
  for (const double coherence : {1.0, 3.0, 1e3}) {
    for (const Index n_concept : {15, 50}) {
      for (const double signal : {0.0, 2.0, 4.0}) {
        if (!whole() && (coherence == 1 || n_concept == 50) && signal != 2) continue;
        std::vector<char> covered(static_cast<std::size_t>(count));
        parallel_for(count, 0, [&](Index i) {
          Stream stream(
              27, {kTaskSimulation, static_cast<std::uint64_t>(coherence),
                   static_cast<std::uint64_t>(10 * signal) + 1000 * static_cast<std::uint64_t>(n_concept),
                   static_cast<std::uint64_t>(i)});
          constexpr Index kRandom = 300;
          const Vector base = coherence * stream.normal_matrix(kColumns, 1);
          Matrix z = stream.normal_matrix(kInputs, kColumns);
          z.rowwise() += base.transpose();
          const Vector mean_gradient = z.colwise().mean();
          const double noise = std::sqrt(1.0 / kRandom + 1.0 / static_cast<double>(n_concept));
          const Vector shift = signal * noise / mean_gradient.norm() * mean_gradient;
          double expected = 0;
          for (int k = 0; k < 200; ++k) {
            const Vector w = noise * stream.normal_matrix(kColumns, 1) + shift;
            expected += stats::score(z * w, stats::alpha_rule(1)) / 200;
          }
          Matrix rows = stream.normal_matrix(n_concept, kColumns);
          rows.rowwise() += shift.transpose();
          Options options;
          options.bootstrap = 200;
          options.permutations = 1;
          options.threads = 1;
          const MatrixF random = stream.normal_matrix(kRandom, kColumns).cast<float>();
          const Result result =
              score({{"c", rows.cast<float>()}}, random, {{"class", z.cast<float>()}}, options)
                  .results.front();
          const stats::Interval& found = result.intervals.at("1").interval;
          covered[static_cast<std::size_t>(i)] =
              found.low - 1e-3 <= expected && expected <= found.high + 1e-3;
        });
        const Share found = share(static_cast<double>(std::ranges::count(covered, 1)), count);
        fmt::print("coherence {:>4} n_c {} signal {}: {:.3f} ± {:.3f}\n", coherence, n_concept, signal,
                   found.value, found.error);
        EXPECT_GE(found.value, 0.92 - 3 * found.error);
        mean += found.value;
        ++cells;
      }
    }
  }
  EXPECT_GE(mean / cells, 0.93);
}

}  // namespace
}  // namespace atcav::simulation
