#include "fit/region_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "atcav/accuracy.h"
#include "atcav/random.h"
#include "fit/fit_refitter.h"

namespace atcav::fit {
namespace {

struct Drawn {
  Matrix random, positive;
};

// Two half circles, one inside the other's opening.
Drawn two_moons(Index count, double noise) {
  Stream stream(1, {kTaskSimulation});
  Drawn drawn{Matrix(count, 2), Matrix(count, 2)};
  for (Index i = 0; i < count; ++i) {
    const double angle = std::numbers::pi * stream.uniform();
    drawn.random.row(i) << std::cos(angle), std::sin(angle);
    drawn.positive.row(i) << 1 - std::cos(angle), 0.5 - std::sin(angle);
  }
  drawn.random += noise * stream.normal_matrix(count, 2);
  drawn.positive += noise * stream.normal_matrix(count, 2);
  return drawn;
}

// Random examples in the middle of a ring of the concept's.
Drawn ring(Index count) {
  Stream stream(2, {kTaskSimulation});
  Drawn drawn{stream.normal_matrix(count, 2), Matrix(count, 2)};
  for (Index i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * stream.uniform();
    drawn.positive.row(i) << 4 * std::cos(angle), 4 * std::sin(angle);
  }
  drawn.positive += 0.4 * stream.normal_matrix(count, 2);
  return drawn;
}

Matrix below(const Matrix& first, const Matrix& second) {
  Matrix rows(first.rows() + second.rows(), first.cols());
  rows << first, second;
  return rows;
}

constexpr stats::CavOptions kSvm{.method = stats::CavMethod::kSvm};

double held_out_auc(const FitRows& rows, Index random) {
  const pass::HeldOutScores scores = FitRefitter(rows, random, kSvm, 1).held_out_scores(5);
  return stats::measure_separation(scores.random.scores, scores.concept_rows.scores, 0).auc;
}

TEST(RegionRows, TellWhatNoDirectionTells) {
  const Drawn moons = two_moons(100, 0.1);
  const FitRows rows = fit_rows(below(moons.random, moons.positive), Matrix::Ones(1, 2));
  EXPECT_GT(held_out_auc(region_rows(rows, 100, nullptr).rows, 100), 0.995);
  EXPECT_LT(held_out_auc(rows, 100), 0.98);
  const Drawn around = ring(100);
  const FitRows of_ring = fit_rows(below(around.random, around.positive), Matrix::Ones(1, 2));
  EXPECT_GT(held_out_auc(region_rows(of_ring, 100, nullptr).rows, 100), 0.97);
  EXPECT_LT(held_out_auc(of_ring, 100), 0.7);
}

// From products alone they are what the formula says of the rows.
TEST(RegionRows, KernelIsThatOfDistances) {
  Stream stream(3);
  const Matrix rows = stream.normal_matrix(9, 20);
  FitRows products;
  products.products = rows * rows.transpose();
  products.projections = Matrix::Zero(0, 9);
  for (const FitRows& linear : {products, fit_rows(rows, Matrix::Ones(1, 20))}) {
    const RegionRows region = region_rows(linear, 4, nullptr);
    std::vector<double> distances;
    for (Index i = 0; i < 9; ++i) {
      for (Index l = 0; l < 9; ++l) {
        const double distance = (rows.row(i) - rows.row(l)).norm();
        EXPECT_NEAR(region.rows.products(i, l), std::exp(-std::pow(distance / region.width, 2)), 1e-12);
        if (l < i) distances.push_back(distance);
      }
    }
    std::ranges::sort(distances);
    EXPECT_NEAR(region.width, distances[distances.size() / 2], 1e-12);
    const Eigen::RowVectorXd way = rows.bottomRows(5).colwise().mean() - rows.topRows(4).colwise().mean();
    EXPECT_NEAR(region.apart, way.norm(), 1e-12);
  }
}

// z·∇g(h) and |∇g(h)| against differences of g, made of the rows themselves.
TEST(RegionRows, GradientsAreThoseOfTheScore) {
  Stream stream(4);
  const Matrix rows = stream.normal_matrix(12, 6).array() + 1;
  const Matrix inputs = stream.normal_matrix(5, 6);
  const Matrix gradients = stream.normal_matrix(5, 6);
  const Vector coefficients = stream.normal_matrix(12, 1).col(0);
  InputPlaces places{inputs * rows.transpose(), inputs.rowwise().squaredNorm(),
                     inputs.cwiseProduct(gradients).rowwise().sum()};
  const RegionRows region = region_rows(fit_rows(rows, gradients), 5, &places);
  const auto score = [&](const Eigen::RowVectorXd& at) {
    const Eigen::ArrayXd squares = (rows.rowwise() - at).rowwise().squaredNorm();
    return (-squares / (region.width * region.width)).exp().matrix().dot(coefficients);
  };
  const Vector along = region.rows.projections * coefficients;
  const Vector slopes = region.slopes(coefficients, places);
  for (Index j = 0; j < 5; ++j) {
    constexpr double kStep = 1e-5;
    const Eigen::RowVectorXd at = inputs.row(j);
    const Eigen::RowVectorXd z = gradients.row(j);
    EXPECT_NEAR(region.at_inputs.row(j).dot(coefficients.transpose()), score(at), 1e-12);
    EXPECT_NEAR(along(j), (score(at + kStep * z) - score(at - kStep * z)) / (2 * kStep), 1e-8);
    Eigen::RowVectorXd slope(6);
    for (Index c = 0; c < 6; ++c) {
      const Eigen::RowVectorXd step = kStep * Eigen::RowVectorXd::Unit(6, c);
      slope(c) = (score(at + step) - score(at - step)) / (2 * kStep);
    }
    EXPECT_NEAR(slopes(j), slope.norm(), 1e-8);
  }
}

TEST(RegionRows, CopiesHaveAWidth) {
  const Matrix rows = Matrix::Ones(6, 3);
  EXPECT_EQ(region_rows(fit_rows(rows, Matrix::Ones(1, 3)), 3, nullptr).width, 1);
  Matrix most = rows;
  most.row(5).setConstant(3);
  EXPECT_GT(region_rows(fit_rows(most, Matrix::Ones(1, 3)), 3, nullptr).width, 0);
}

}  // namespace
}  // namespace atcav::fit
