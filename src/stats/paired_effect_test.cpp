#include "stats/paired_effect.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <numeric>

#include "atcav/random.h"
#include "core/parallel.h"

namespace atcav::stats {
namespace {

constexpr Index kInputs = 15;

// Random rows, then the concept's; two networks' gradients that share most of what single inputs do.
struct Pair {
  Matrix first, second;  // responses
  Matrix label;
  std::vector<Index> reference;
  double true_logits, true_d;

  Pair(Stream& stream, Index n, Index n_concept, double more) {
    constexpr Index kColumns = 12;
    Vector shift = Vector::Zero(kColumns);
    shift(0) = 1;
    shift(1) = 0.5;
    Vector one = Vector::Zero(kColumns);
    one(0) = 1;
    one(2) = 1;
    Vector two = one;
    two(1) = more;
    const Matrix own = 0.5 * stream.normal_matrix(kInputs, kColumns);
    const Matrix a = own.rowwise() + one.transpose();
    const Matrix b = (own + 0.2 * stream.normal_matrix(kInputs, kColumns)).rowwise() + two.transpose();
    Matrix rows = stream.normal_matrix(n + n_concept, kColumns);
    rows.bottomRows(n_concept).rowwise() += shift.transpose();
    first = a * rows.transpose();
    second = b * rows.transpose();
    label = Matrix::Zero(n + n_concept, 1);
    label.bottomRows(n_concept).setOnes();
    reference.resize(static_cast<std::size_t>(n));
    std::iota(reference.begin(), reference.end(), 0);
    true_logits = (two - one).dot(shift);
    true_d = two.dot(shift) / two.norm() - one.dot(shift) / one.norm();
  }
  PairedEffect compared() const {
    return paired_effect(design_labels(label, {"striped"}, {}, 1), 0, first, second, reference, {}, 0.95);
  }
};

TEST(PairedEffect, IsExactlyZeroForEqualNetworks) {
  Stream stream(1);
  const Pair pair(stream, 60, 30, 0.5);
  const PairedEffect found = paired_effect(design_labels(pair.label, {"striped"}, {}, 1), 0, pair.first,
                                           pair.first, pair.reference, {}, 0.95);
  for (const Effect* effect : {&found.logits, &*found.d}) {
    EXPECT_EQ(effect->logits, 0);
    EXPECT_EQ(effect->interval.low, 0);
    EXPECT_EQ(effect->interval.high, 0);
    EXPECT_EQ(effect->p, 1);
  }
}

TEST(PairedEffect, IsTheDifferenceOfBothEffects) {
  Stream stream(2);
  const Pair pair(stream, 60, 30, 0.5);
  const PairedEffect found = pair.compared();
  const auto effect = [&](const Matrix& responses) {
    return responses.rightCols(30).rowwise().mean().mean() - responses.leftCols(60).rowwise().mean().mean();
  };
  EXPECT_NEAR(found.first, effect(pair.first), 1e-12);
  EXPECT_NEAR(found.logits.logits, effect(pair.second) - effect(pair.first), 1e-12);
  EXPECT_NEAR(found.d->logits, *found.second_d - *found.first_d, 1e-12);
}

// Where the spread of the rows is all that matters to d, its error is what a jackknife over rows gives.
TEST(PairedEffect, ErrorOfDIsTheJackknifes) {
  Stream stream(3);
  Pair pair(stream, 80, 40, 1);
  pair.first = Matrix(pair.first.topRows(1));
  pair.second = Matrix(pair.second.topRows(1));
  const PairedEffect found = pair.compared();
  const auto d_without = [&](const Matrix& responses, Index left_out) {
    std::vector<double> random;
    std::vector<double> of_concept;
    for (Index i = 0; i < responses.cols(); ++i) {
      if (i != left_out) (i < 80 ? random : of_concept).push_back(responses(0, i));
    }
    const Eigen::Map<const Vector> r(random.data(), std::ssize(random));
    const Eigen::Map<const Vector> c(of_concept.data(), std::ssize(of_concept));
    return (c.mean() - r.mean()) /
           std::sqrt((r.array() - r.mean()).square().sum() / static_cast<double>(r.size() - 1));
  };
  double variance = 0;
  for (const auto& [begin, end] : {std::pair(0, 80), std::pair(80, 120)}) {
    Vector values(end - begin);
    for (Index i = begin; i < end; ++i)
      values(i - begin) = d_without(pair.second, i) - d_without(pair.first, i);
    const auto n = static_cast<double>(values.size());
    variance += (n - 1) / n * (values.array() - values.mean()).square().sum();
  }
  EXPECT_NEAR(found.d->error_examples, std::sqrt(variance), 0.05 * std::sqrt(variance));
}

// 1,500 pairs: one standard error of a coverage of 0.95 is 0.0056.
TEST(PairedEffect, IntervalsHoldTheDifference) {
  constexpr Index kPairs = 1500;
  for (const double more : {0.0, 1.0}) {
    std::vector<char> logits(static_cast<std::size_t>(kPairs)), d(logits.size());
    std::vector<double> shorter(logits.size());
    parallel_for(kPairs, 0, [&](Index i) {
      Stream stream(4, {kTaskSimulation, static_cast<std::uint64_t>(i), more > 0 ? 1U : 0U});
      const Pair pair(stream, 150, 60, more);
      const PairedEffect found = pair.compared();
      const auto holds = [](const Interval& interval, double truth) {
        return interval.low <= truth && truth <= interval.high;
      };
      logits[i] = holds(found.logits.interval, pair.true_logits) ? 1 : 0;
      d[i] = holds(found.d->interval, pair.true_d) ? 1 : 0;
    });
    const auto share = [](const std::vector<char>& all) {
      return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    };
    fmt::print("true difference {:.1f} logits: coverage of logits {:.3f}, of d {:.3f} (± 0.006)\n", more / 2,
               share(logits), share(d));
    for (const double coverage : {share(logits), share(d)}) {
      EXPECT_GT(coverage, 0.93);
      EXPECT_LT(coverage, 0.975);
    }
  }
}

}  // namespace
}  // namespace atcav::stats
