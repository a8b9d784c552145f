#include "stats/negatives.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "atcav/random.h"
#include "pipeline/grouped_effect.h"

// An attack: a fifth of the random set is replaced by pictures chosen to hide a finding. What did the
// robustness number say before? The chosen ones are either second copies of others in the set, or the best of
// a reserve ten times as large, which has more extreme pictures than the set itself.
namespace atcav {
namespace {

constexpr Index kRandom = 200;
constexpr Index kConcept = 60;
constexpr Index kReplaced = 40;  // 20 %
constexpr Index kColumns = 20;
constexpr Index kClassInputs = 20;

MatrixF drawn(Stream& stream, Index rows, int law) {
  Matrix values = stream.normal_matrix(rows, kColumns);
  if (law == 1) values = (values.array().max(0.0) - 0.39894) / 0.58381;
  return values.cast<float>();
}

// Rows of `random` that lie lowest along the mean gradient, replaced by the highest of the others.
MatrixF attacked(const MatrixF& random, const MatrixF& others, const MatrixF& gradients) {
  const Eigen::VectorXf mean = gradients.colwise().mean();
  const auto order = [&](const MatrixF& rows) {
    const Eigen::VectorXf along = rows * mean;
    std::vector<Index> places(static_cast<std::size_t>(rows.rows()));
    std::iota(places.begin(), places.end(), 0);
    std::ranges::sort(places, [&](Index a, Index b) { return along(a) < along(b); });
    return places;
  };
  const std::vector<Index> own = order(random);
  const std::vector<Index> chosen = order(others);
  MatrixF changed = random;
  for (Index i = 0; i < kReplaced; ++i) changed.row(own[i]) = others.row(chosen[chosen.size() - 1 - i]);
  return changed;
}

struct Finding {
  stats::Effect effect;
  stats::Negatives negatives;
  bool hidden() const { return effect.interval.low <= 0; }  // or turned round
};

Finding found_with(const MatrixF& of_concept, const MatrixF& random, const MatrixF& gradients) {
  const auto projections = [&](const MatrixF& rows) {
    return pass::Projections{(gradients * rows.transpose()).cast<double>(), Vector::Ones(rows.rows()), {}};
  };
  const pass::Projections own = projections(random);
  Finding found{effect_of_sets(own, projections(of_concept), {}, {}, {}, "striped", 0.95), {}};
  found.negatives =
      stats::other_negatives(own.values.colwise().mean().transpose(), {}, {}, found.effect, 0.95);
  return found;
}

TEST(OtherNegatives, SayWhichFindingsAFifthOfThemCanHide) {
  constexpr Index kProblems = 200;
  fmt::print(
      "law    shift |  findings  chi2 (median) | hidden by copies   by a reserve | chi2 > 0.4 and hidden by "
      "copies\n");
  for (const int law : {0, 1}) {
    for (const double shift : {0.5, 0.8, 1.2, 1.8}) {
      Index findings = 0;
      Index copies = 0;
      Index reserve = 0;
      Index broken = 0;
      std::vector<double> numbers;
      for (Index i = 0; i < kProblems; ++i) {
        Stream stream(31, {kTaskSimulation, static_cast<std::uint64_t>(i), law == 0 ? 0U : 1U,
                           static_cast<std::uint64_t>(100 * shift)});
        const MatrixF random = drawn(stream, kRandom, law);
        MatrixF of_concept = drawn(stream, kConcept, law);
        of_concept.col(0).array() += static_cast<float>(shift);
        MatrixF gradients = 0.3F * drawn(stream, kClassInputs, 0);
        gradients.col(0).array() += 1;
        const MatrixF more = drawn(stream, 10 * kRandom, law);
        const Finding before = found_with(of_concept, random, gradients);
        if (before.hidden() || before.effect.logits < 0) continue;
        ++findings;
        const double number = before.negatives.chi2.value_or(HUGE_VAL);
        numbers.push_back(number);
        const bool hidden = found_with(of_concept, attacked(random, random, gradients), gradients).hidden();
        copies += hidden ? 1 : 0;
        broken += hidden && number > 0.4 ? 1 : 0;
        reserve += found_with(of_concept, attacked(random, more, gradients), gradients).hidden() ? 1 : 0;
      }
      std::ranges::sort(numbers);
      fmt::print("{:6} {:5.1f} | {:9} {:14.2f} | {:16} {:14} | {}\n", law == 0 ? "normal" : "ReLU", shift,
                 findings, numbers.empty() ? 0 : numbers[numbers.size() / 2], copies, reserve, broken);
      // Replacing a fifth by second copies is χ² = 0.4 (docs/theory/significance.md).
      EXPECT_EQ(broken, 0);
    }
  }
}

}  // namespace
}  // namespace atcav
