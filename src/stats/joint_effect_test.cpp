#include "stats/joint_effect.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

struct Problem {
  Matrix responses;  // m × N
  Matrix labels;     // N × q
};

Problem written_problem() {
  Problem problem{Matrix(4, 24), Matrix(24, 2)};
  for (int i = 0; i < 24; ++i) {
    problem.labels(i, 0) = i % 3 == 0 ? 1 : 0;
    problem.labels(i, 1) = std::cos(i) + problem.labels(i, 0);
    for (int j = 0; j < 4; ++j)
      problem.responses(j, i) = std::sin(1 + 3 * j + 1.7 * i + 0.3 * i * j) + 0.4 * j;
  }
  return problem;
}

std::vector<Index> rows_without(const Matrix& labels, Index column) {
  std::vector<Index> rows;
  for (Index i = 0; i < labels.rows(); ++i)
    if (labels(i, column) == 0) rows.push_back(i);
  return rows;
}

std::vector<Index> all_rows(Index n) {
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) rows.push_back(i);
  return rows;
}

Effect effect_of(const Matrix& responses, const Matrix& labels, Index column,
                 const std::vector<Index>& reference, const Groups& groups = {}) {
  const LabelDesign design = design_labels(labels, {"a", "b", "c", "d"}, groups, 1);
  const LabelResponses known(responses);
  const LabelEffect found = label_effect(design, column, known, label_residuals(design, responses),
                                         ReferenceRows(known, reference, groups), groups);
  return measure_effect(found.sensitivities, found.errors, found.noise, found.spread, 0.95);
}

TEST(JointEffect, OneLabelIsTheDifferenceOfTwoSets) {
  Stream stream(3);
  const Matrix responses = stream.normal_matrix(5, 40);
  Matrix labels = Matrix::Zero(40, 1);
  for (Index i = 0; i < 40; i += 3) labels(i, 0) = 1;
  const Effect found = effect_of(responses, labels, 0, rows_without(labels, 0));

  const Eigen::RowVectorXd mean = responses.colwise().mean();
  const auto moments = [&](double wanted, const Eigen::RowVectorXd& values) {
    std::vector<double> own;
    for (Index i = 0; i < 40; ++i)
      if (labels(i, 0) == wanted) own.push_back(values(i));
    const Eigen::Map<const Vector> v(own.data(), std::ssize(own));
    const double average = v.mean();
    const auto n = static_cast<double>(own.size());
    const double squares = (v.array() - average).square().sum();
    const double second = squares / n;
    return std::array{average, squares / (n - 1), n,
                      (v.array() - average).cube().mean() / std::pow(second, 1.5),
                      (v.array() - average).pow(4).mean() / (second * second)};
  };
  const auto with = moments(1, mean);
  const auto without = moments(0, mean);
  Vector s(5);
  Vector errors(5);
  Vector slopes(5);
  for (Index j = 0; j < 5; ++j) {
    const auto a = moments(1, responses.row(j));
    const auto b = moments(0, responses.row(j));
    s(j) = a[0] - b[0];
    errors(j) = std::sqrt(a[1] / a[2] + b[1] / b[2]);
    double product = 0;
    for (Index i = 0; i < 40; ++i)
      if (labels(i, 0) == 0) product += (responses(j, i) - b[0]) * (mean(i) - without[0]);
    slopes(j) = product / ((without[2] - 1) * without[1]);
  }
  const Effect wanted =
      measure_effect(s, errors,
                     {VariancePart{with[1] / with[2], with[2] - 1},
                      VariancePart{without[1] / without[2], without[2] - 1},
                      {}},
                     {static_cast<Index>(without[2]), without[1], without[3], without[4], slopes}, 0.95);
  constexpr double kRounding = 1e-10;
  EXPECT_NEAR(found.logits, wanted.logits, kRounding);
  EXPECT_NEAR(found.interval.low, wanted.interval.low, kRounding);
  EXPECT_NEAR(*found.d, *wanted.d, kRounding);
  EXPECT_NEAR(found.d_interval.low, wanted.d_interval.low, kRounding);
  EXPECT_NEAR(found.d_interval.high, wanted.d_interval.high, kRounding);
  EXPECT_NEAR(found.degrees, wanted.degrees, 1e-8);
  EXPECT_NEAR(found.p, wanted.p, kRounding);
  EXPECT_NEAR(found.error_random, wanted.error_random, kRounding);
}

// Rows without any label are what every label is compared with, as random examples are.
TEST(JointEffect, DisjointLabelsAreFolders) {
  Stream stream(4);
  const Matrix responses = stream.normal_matrix(4, 60);
  Matrix labels = Matrix::Zero(60, 2);
  labels.col(0).head(15).setOnes();
  labels.col(1).segment(15, 20).setOnes();
  Matrix pair = Matrix(4, 40);
  pair << responses.leftCols(15), responses.rightCols(25);
  Matrix alone = Matrix::Zero(40, 1);
  alone.topRows(15).setOnes();
  const Effect joint = effect_of(responses, labels, 0, rows_without(labels, 0));
  const Effect folder = effect_of(pair, alone, 0, rows_without(alone, 0));
  EXPECT_NEAR(joint.logits, folder.logits, 1e-12);
  EXPECT_NEAR(joint.error_examples, folder.error_examples, 1e-12);
  EXPECT_NEAR(joint.degrees, folder.degrees, 1e-9);
  EXPECT_NEAR(joint.p, folder.p, 1e-12);
  EXPECT_NEAR(joint.interval.high, folder.interval.high, 1e-12);
}

// NumPy and SciPy on the same numbers: pinv(Ỹ), the sandwich written out, t's distribution.
TEST(JointEffect, AgreesWithNumPy) {
  constexpr double kRounding = 1e-10;
  const Problem problem = written_problem();
  const auto expect = [&](Index column, const Groups& groups, double logits, double error, double degrees,
                          double p) {
    const Effect found = effect_of(problem.responses, problem.labels, column, all_rows(24), groups);
    EXPECT_NEAR(found.logits, logits, kRounding);
    EXPECT_NEAR(std::hypot(found.error_examples, found.error_inputs), error, kRounding);
    EXPECT_NEAR(found.degrees, degrees, 1e-9);
    EXPECT_NEAR(found.p, p, kRounding);
  };
  expect(0, {}, 0.04368972889284963, 0.1567396673137752, 6.572429971963493, 0.7890087180108807);
  expect(1, {}, 0.004189917575130636, 0.09473214710219194, 13.59664433383691, 0.9653647754941563);
  std::vector<Index> of_row;
  for (Index i = 0; i < 24; ++i) of_row.push_back(i / 2);
  const Groups pairs{of_row, 12};
  expect(0, pairs, 0.04368972889284963, 0.1641550179276635, 5.777981070435603, 0.7993656500204801);
  expect(1, pairs, 0.004189917575130636, 0.09992460611242368, 9.423258299057496, 0.9674289453662654);
}

// As the formula has them, label by label: of few labels from products of columns, of many (q + 1)² > 2N from
// stripes of the hat matrix and blocks of labels.
TEST(JointEffect, DegreesAreBellsAndMcCaffreysForEverySize) {
  for (const auto& [n, q] : {std::pair<Index, Index>{300, 1}, {300, 9}, {40, 9}, {700, 40}, {420, 110}}) {
    Stream stream(6);
    const Matrix labels = stream.normal_matrix(n, q);
    const std::vector<std::string> names(static_cast<std::size_t>(q), "x");
    const LabelDesign design = design_labels(labels, names, {}, 2);
    EXPECT_EQ(design.degrees, design_labels(labels, names, {}, 1).degrees);
    Matrix padded(n, q + 1);
    padded << Matrix::Ones(n, 1), labels;
    const Matrix a = (padded.transpose() * padded).inverse();
    const Matrix weights = (padded * a).rightCols(q).transpose();
    EXPECT_LT((design.weights - weights).cwiseAbs().maxCoeff(), 1e-12);
    for (Index k = 0; k < q; ++k) {
      const Vector d = weights.row(k).transpose().array().square() / (1 - design.leverages.array());
      const Matrix at = a * (padded.transpose() * d.asDiagonal() * padded);
      const double own = (d.array().square() * (1 - 2 * design.leverages.array())).sum();
      const double total = weights.row(k).squaredNorm();
      const double wanted = total * total / (own + (at * at).trace());
      EXPECT_NEAR(design.degrees(k), wanted, 1e-10 * wanted) << n << " " << q << " " << k;
    }
  }
}

TEST(JointEffect, NamesLabelsThatOthersDetermine) {
  Stream stream(5);
  Matrix labels = stream.normal_matrix(30, 4);
  labels.col(3) = 1 - labels.col(0).array() + 2 * labels.col(2).array();
  const auto message = [&] {
    try {
      design_labels(labels, {"red", "old", "striped", "sum"}, {}, 1);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(), "[labels] 'sum' is determined by 'red', 'striped': leave one of them out");
  labels.col(3).setConstant(0.3);
  EXPECT_EQ(message(), "[labels] 'sum' is constant: there is nothing to compare");
}

TEST(JointEffect, GroupsOfOneRowChangeOnlyTheFactor) {
  const Problem problem = written_problem();
  Groups single{all_rows(24), 24};
  const LabelDesign plain = design_labels(problem.labels, {"a", "b"}, {}, 1);
  const LabelDesign grouped = design_labels(problem.labels, {"a", "b"}, single, 1);
  const LabelResponses responses(problem.responses);
  const LabelResiduals residuals = label_residuals(plain, problem.responses);
  const LabelEffect a =
      label_effect(plain, 0, responses, residuals, ReferenceRows(responses, all_rows(24), {}), {});
  const LabelEffect b =
      label_effect(grouped, 0, responses, residuals, ReferenceRows(responses, all_rows(24), single), single);
  EXPECT_NEAR(b.noise.examples->variance, a.noise.examples->variance * 24 / 23, 1e-14);
  EXPECT_NEAR(b.errors(1), a.errors(1) * std::sqrt(24.0 / 23), 1e-14);
  const Matrix covariance = label_covariance(plain, 0, residuals, {});
  EXPECT_NEAR(std::sqrt(covariance(1, 1)), a.errors(1), 1e-14);
}

TEST(GroupedInputs, KeepTheMeanAndAddUpWithinGroups) {
  Stream stream(7);
  const Matrix responses = stream.normal_matrix(6, 3);
  const Groups groups{{0, 0, 0, 1, 1, 2}, 3};
  const Matrix rows = grouped_inputs(responses, groups);
  EXPECT_TRUE(rows.colwise().mean().isApprox(responses.colwise().mean(), 1e-12));
  const Vector own = responses.col(1).array() - responses.col(1).mean();
  const Vector sums = Vector{{own.head(3).sum(), own.segment(3, 2).sum(), own(5)}} / 6;
  const Vector there = rows.col(1).array() - rows.col(1).mean();
  EXPECT_NEAR(there.squaredNorm() / 2 / 3, 3.0 / 2 * sums.squaredNorm(), 1e-12);
}

}  // namespace
}  // namespace atcav::stats
