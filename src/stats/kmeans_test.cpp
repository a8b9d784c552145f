#include "stats/kmeans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

// Points around the corners of a square of side 10.
MatrixF corners(Index of_each, double spread, std::uint64_t seed) {
  Matrix rows = spread * Stream(seed).normal_matrix(4 * of_each, 2);
  for (Index row = 0; row < rows.rows(); ++row) {
    rows(row, 0) += row % 4 < 2 ? 0 : 10;
    rows(row, 1) += row % 2 == 0 ? 0 : 10;
  }
  return rows.cast<float>();
}

TEST(KMeans, FindsClustersThatAreFarApart) {
  const MatrixF rows = corners(50, 1, 3);
  const KMeans found = kmeans(rows, {.clusters = 4, .seed = 1});
  ASSERT_EQ(found.centres.rows(), 4);
  for (Index row = 4; row < rows.rows(); ++row) EXPECT_EQ(found.of_row[row], found.of_row[row % 4]) << row;
  EXPECT_EQ(std::set<Index>(found.of_row.begin(), found.of_row.begin() + 4).size(), 4U);
  // Of 200 points with two coordinates of variance 1 around their own mean: 2 · (200 - 4), sd 28.
  EXPECT_NEAR(found.squares, 392, 4 * 28);
}

TEST(KMeans, CentresAreMeansAndRowsBelongToTheNearest) {
  const MatrixF rows = Stream(5).normal_matrix(300, 4).cast<float>();
  const KMeans found = kmeans(rows, {.clusters = 6, .iterations = 1000});
  Matrix means = Matrix::Zero(6, 4);
  for (Index row = 0; row < rows.rows(); ++row) {
    means.row(found.of_row[row]) += rows.row(row).cast<double>() / found.sizes(found.of_row[row]);
    const Vector away =
        (found.centres.rowwise() - Eigen::RowVectorXd(rows.row(row).cast<double>())).rowwise().norm();
    EXPECT_LE(away(found.of_row[row]), away.minCoeff() + 1e-5);  // float's rounding
  }
  EXPECT_LT((means - found.centres).cwiseAbs().maxCoeff(), 1e-6);
  for (Index k = 1; k < 6; ++k) EXPECT_GE(found.sizes(k - 1), found.sizes(k));
  EXPECT_EQ(nearest_centres(rows, found.centres), found.of_row);
}

TEST(KMeans, ThreadsChangeNothingAndSeedsDo) {
  const MatrixF rows = Stream(7).normal_matrix(500, 5).cast<float>();
  const KMeans one = kmeans(rows, {.clusters = 9, .starts = 3, .seed = 2, .threads = 1});
  const KMeans four = kmeans(rows, {.clusters = 9, .starts = 3, .seed = 2, .threads = 4});
  EXPECT_EQ(one.centres, four.centres);
  EXPECT_NE(one.centres, kmeans(rows, {.clusters = 9, .starts = 3, .seed = 3}).centres);
}

TEST(KMeans, HasNoMoreClustersThanDifferentRows) {
  MatrixF rows = MatrixF::Zero(6, 2);
  rows.bottomRows(2).setConstant(3);
  const KMeans found = kmeans(rows, {.clusters = 4});
  ASSERT_EQ(found.centres.rows(), 2);
  EXPECT_EQ(found.sizes(0), 4);
  EXPECT_EQ(found.squares, 0);
  EXPECT_THROW(kmeans(MatrixF(0, 2), {}), std::invalid_argument);
  EXPECT_THROW(kmeans(rows, {.clusters = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
