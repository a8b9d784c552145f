#include "fit/refit.h"

#include <gtest/gtest.h>

#include "atcav/cav.h"
#include "atcav/random.h"

namespace atcav::fit {
namespace {

struct Example {
  Matrix random = Stream(1).normal_matrix(14, 50);
  Matrix positive = Stream(2).normal_matrix(9, 50).array() + 0.3;
  Matrix gradients = Stream(3).normal_matrix(6, 50);

  pass::Projections project(const Matrix& rows) const {
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
    pass::Projections random = example.project(example.random);
    random.weights(3) = 2.5;
    const MeanRefitter refitter(random, example.project(example.positive), fast);
    const Drawing all{3, [&](Index k) { return choices[static_cast<std::size_t>(k)]; }};
    const Matrix many = refitter.refits(all, 2);
    for (Index k = 0; k < 3; ++k) {
      const auto& [r, c] = choices[static_cast<std::size_t>(k)];
      EXPECT_LT((many.row(k).transpose() - refitter.sensitivities(r, c)).norm(), 1e-13);
    }
    const auto alike = [&](Index) { return Choice{same, same}; };
    EXPECT_EQ(refitter.refits({1, alike}, 1), Matrix::Zero(1, 6));
  }
}

TEST(MeanRefitter, WeightedColumnsAreBlocks) {
  const Example example;
  pass::Projections blocks{Matrix(6, 2), Vector(2), {}};
  const pass::Projections rows = example.project(example.random);
  blocks.values << rows.values.leftCols(10).rowwise().mean(), rows.values.rightCols(4).rowwise().mean();
  blocks.weights << 10, 4;
  const pass::Projections positive = example.project(example.positive);
  EXPECT_LT(
      (MeanRefitter(blocks, positive, false).full() - MeanRefitter(rows, positive, false).full()).norm(),
      1e-12);
}

// A class's inputs are a part of all: the same numbers, and fitted once for both classes.
TEST(MeanRefitter, RelabelledIsRefittedWithTheOthersAsRandom) {
  const pass::Projections random{Stream(4).normal_matrix(5, 7), Vector::Ones(7), {}};
  const pass::Projections positive{Stream(5).normal_matrix(5, 4), Vector::Ones(4), {}};
  for (const bool fast : {false, true}) {
    const MeanRefitter means(random, positive, fast);
    const std::vector<RowNumbers> dealt = {{2, 5, 8, 0}, {7, 8, 9, 10}};
    const Matrix found = means.relabelled(
        2, [&](Index k) { return dealt[static_cast<std::size_t>(k)]; }, 2);
    EXPECT_TRUE(
        found.row(0).isApprox(means.sensitivities({1, 3, 4, 6, 7, 9, 10}, dealt[0]).transpose(), 1e-13));
    EXPECT_TRUE(found.row(1).isApprox(means.full().transpose(), 1e-13));
  }
}

}  // namespace
}  // namespace atcav::fit
