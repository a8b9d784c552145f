#include <gtest/gtest.h>

#include "atcav/base/random.h"
#include "atcav/span/fit_refitter.h"
#include "atcav/span/inputs_refitter.h"

namespace atcav::span {
namespace {

struct Example {
  Matrix random = Stream(1).normal_matrix(14, 50);
  Matrix positive = Stream(2).normal_matrix(9, 50).array() + 0.3;
  Matrix gradients = Stream(3).normal_matrix(6, 50);

  Projections project(const Matrix& rows) const {
    return {gradients * rows.transpose(), Vector::Ones(rows.rows()), {}};
  }
  Matrix all() const {
    Matrix rows(23, 50);
    rows << random, positive;
    return rows;
  }
  Vector direct(const RowNumbers& r, const RowNumbers& c, const stats::CavOptions& options) const {
    const Matrix rows = all();
    return gradients * stats::fit_cav(rows(r, Eigen::all), rows(c, Eigen::all), options).direction;
  }
};

const RowNumbers kRandom = {0, 3, 3, 7, 12};
const RowNumbers kConcept = {14, 20, 21, 20};

TEST(MeanRefitter, EqualsTheFitInFullDimension) {
  const Example example;
  for (const bool fast : {false, true}) {
    stats::CavOptions options;
    options.method = fast ? stats::CavMethod::kFast : stats::CavMethod::kPattern;
    const MeanRefitter refitter(example.project(example.random), example.project(example.positive), fast);
    EXPECT_LT((refitter.sensitivities(kRandom, kConcept) - example.direct(kRandom, kConcept, options)).norm(),
              1e-12);
    EXPECT_LT((refitter.full() - example.direct(row_range(0, 14), row_range(14, 23), options)).norm(), 1e-12);
  }
}

TEST(MeanRefitter, ManyAreWhatEachIsAlone) {
  const Example example;
  const std::vector<Choice> choices = {{kRandom, kConcept}, {{1, 2}, {14, 3}}, {{5}, {22, 22, 14}}};
  const RowNumbers same = {0, 5, 7};
  for (const bool fast : {false, true}) {
    Projections random = example.project(example.random);
    random.weights(3) = 2.5;
    const MeanRefitter refitter(random, example.project(example.positive), fast);
    const Matrix many = refitter.refits(
        3, [&](Index k) { return choices[static_cast<std::size_t>(k)]; }, 2);
    for (Index k = 0; k < 3; ++k) {
      const auto& [r, c] = choices[static_cast<std::size_t>(k)];
      EXPECT_LT((many.row(k).transpose() - refitter.sensitivities(r, c)).norm(), 1e-13);
    }
    EXPECT_EQ(refitter.refits(
                  1,
                  [&](Index) {
                    return Choice{same, same};
                  },
                  1),
              Matrix::Zero(1, 6));
  }
}

TEST(MeanRefitter, WeightedColumnsAreBlocks) {
  const Example example;
  Projections blocks{Matrix(6, 2), Vector(2), {}};
  const Projections rows = example.project(example.random);
  blocks.values << rows.values.leftCols(10).rowwise().mean(), rows.values.rightCols(4).rowwise().mean();
  blocks.weights << 10, 4;
  const Projections positive = example.project(example.positive);
  EXPECT_LT(
      (MeanRefitter(blocks, positive, false).full() - MeanRefitter(rows, positive, false).full()).norm(),
      1e-12);
}

TEST(FitRefitter, EqualsTheFitOnTheSameRows) {
  const Example example;
  for (const char* method : {"ridge", "logistic", "svm"}) {
    stats::CavOptions options;
    options.method = stats::parse_cav_method(method);
    const FitRefitter refitter(fit_rows(example.all(), example.gradients), 14, options);
    const Vector expected = example.direct(kRandom, kConcept, options);
    EXPECT_LT((refitter.sensitivities(kRandom, kConcept) - expected).norm(), 1e-7 * expected.norm())
        << method;
    // Relabelled rows: as if rows 2, 5 and 16 were the concept.
    RowNumbers others;
    for (Index i = 0; i < 23; ++i) {
      if (i != 2 && i != 5 && i != 16) others.push_back(i);
    }
    const Vector relabelled = example.direct(others, {2, 5, 16}, options);
    EXPECT_LT((refitter.relabelled({2, 5, 16}) - relabelled).norm(), 1e-7 * relabelled.norm()) << method;
  }
}

TEST(FitRefitter, BringsRefitsToTheLengthOfTheFullFit) {
  const Example example;
  const stats::CavOptions options{.method = stats::CavMethod::kSvm};
  const FitRefitter refitter(fit_rows(example.all(), example.gradients), 14, options, 1, true);
  const Matrix rows = example.all();
  const Vector w = stats::fit_cav(rows(kRandom, Eigen::all), rows(kConcept, Eigen::all), options).direction;
  const Vector whole = stats::fit_cav(example.random, example.positive, options).direction;
  ASSERT_GT(std::abs(w.norm() / whole.norm() - 1), 0.1);
  const Vector expected = example.gradients * w * (whole.norm() / w.norm());
  EXPECT_LT((refitter.sensitivities(kRandom, kConcept) - expected).norm(), 1e-7 * expected.norm());
  EXPECT_LT((refitter.full() - example.gradients * whole).norm(), 1e-7 * refitter.full().norm());
  const FitRefitter own(fit_rows(example.all(), example.gradients), 14, options, 1);
  EXPECT_EQ(refitter.relabelled({2, 5, 16}), own.relabelled({2, 5, 16}));
}

// A class's inputs are a part of all: the same numbers, and fitted once for both classes.
TEST(InputsRefitter, IsAPartOfTheWhole) {
  const Example example;
  const stats::CavOptions options{.method = stats::CavMethod::kLogistic};
  const auto all = std::make_shared<FitRefitter>(fit_rows(example.all(), example.gradients), 14, options);
  const auto shared = std::make_shared<SharedRefits>(all);
  Index asked = 0;
  const auto choose = [&](Index k) {
    ++asked;
    return k == 0 ? Choice{kRandom, kConcept} : Choice{{1, 2, 5}, {14, 15}};
  };
  const Matrix whole = all->refits(2, choose, 1);
  const InputsRefitter first(shared, 0, 4);
  const InputsRefitter second(shared, 4, 2);
  EXPECT_EQ(first.refits(2, choose, 1), whole.leftCols(4));
  asked = 0;
  EXPECT_EQ(second.refits(2, choose, 1), whole.rightCols(2));
  EXPECT_EQ(asked, 2);  // to know them again, not to fit
  EXPECT_EQ(second.full(), all->full().tail(2));
  EXPECT_EQ(first.refits(1, choose, 1), whole.topLeftCorner(1, 4));
  EXPECT_EQ(second.relabelled({2, 5}), all->relabelled({2, 5}).tail(2));
}

TEST(FitRefitter, RefusesARowInBothSets) {
  const Example example;
  const FitRefitter refitter(fit_rows(example.all(), example.gradients), 14,
                             {.method = stats::CavMethod::kSvm});
  EXPECT_THROW(refitter.sensitivities({1, 2}, {2, 15}), std::invalid_argument);
  EXPECT_THROW(refitter.sensitivities({}, {15}), std::invalid_argument);
}

TEST(FitRefitter, HeldOutScoresComeFromFitsWithoutTheRow) {
  const Example example;
  stats::CavOptions options;
  options.method = stats::CavMethod::kRidge;
  const FitRefitter refitter(fit_rows(example.all(), example.gradients), 14, options);
  const HeldOutScores scores = refitter.held_out_scores(3);
  RowNumbers random;
  RowNumbers positive;
  for (Index i = 0; i < 14; ++i) {
    if (i % 3 != 1) random.push_back(i);
  }
  for (Index i = 0; i < 9; ++i) {
    if (i % 3 != 1) positive.push_back(14 + i);
  }
  const Matrix rows = example.all();
  const Matrix r = rows(random, Eigen::all);
  const Matrix c = rows(positive, Eigen::all);
  const Vector w = stats::fit_cav(r, c, options).direction;
  const Vector middle = (r.colwise().mean() + c.colwise().mean()).transpose() / 2;
  EXPECT_EQ(scores.random.folds[4], 1);
  EXPECT_NEAR(scores.random.scores(4), w.dot(rows.row(4).transpose() - middle), 1e-8);
  EXPECT_NEAR(scores.concept_rows.scores(1), w.dot(rows.row(15).transpose() - middle), 1e-8);
}

}  // namespace
}  // namespace atcav::span
