#include "stats/label_encoding.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

// Label 0 is in column 0 of the rows; label 1 goes along with it and is nowhere.
struct Pool {
  Matrix labels, rows;
  Pool(Index n, double rho, std::uint64_t seed, Index d = 40) {
    Stream stream(seed);
    const Matrix latent = stream.normal_matrix(n, 2);
    labels.resize(n, 2);
    labels.col(0) = (latent.col(0).array() < -0.3).cast<double>();
    labels.col(1) =
        ((rho * latent.col(0) + std::sqrt(1 - rho * rho) * latent.col(1)).array() < -0.3).cast<double>();
    rows = stream.normal_matrix(n, d);
    rows.col(0) += 3 * labels.col(0);
  }
  Matrix products(const std::vector<Index>& scored) const {
    return rows(scored, Eigen::all) * rows.transpose();
  }
  std::vector<HeldOutCorrelation> found(Index count, const Groups& groups = {}) const {
    const std::vector<Index> scored = scored_rows(count, rows.rows());
    return held_out_correlations(products(scored), scored, labels, groups, 0.95, 1);
  }
};

TEST(HeldOutCorrelations, AreThoseOfDirectionsFittedWithoutTheFold) {
  const Pool pool(60, 0.5, 1);
  const auto found = pool.found(60);
  Vector scores(60);
  Vector left(60);
  for (Index fold = 0; fold < 5; ++fold) {
    std::vector<Index> train;
    for (Index i = 0; i < 60; ++i) {
      if (i % 5 != fold) train.push_back(i);
    }
    Matrix design(48, 3);
    design << Vector::Ones(48), pool.labels(train, Eigen::all);
    const Matrix x = pool.rows(train, Eigen::all);
    const Matrix slopes = design.colPivHouseholderQr().solve(x);
    Matrix others(48, 2);
    others << Vector::Ones(48), pool.labels(train, 0);
    const Vector of_others = others.colPivHouseholderQr().solve(Vector(pool.labels(train, 1)));
    for (Index i = fold; i < 60; i += 5) {
      scores(i) = pool.rows.row(i).dot(slopes.row(2));
      left(i) = pool.labels(i, 1) - of_others(0) - of_others(1) * pool.labels(i, 0);
    }
  }
  // The program leaves residuals of different folds on slightly different scales.
  const Vector a = scores.array() - scores.mean();
  const Vector b = left.array() - left.mean();
  EXPECT_NEAR(found[1].value, a.dot(b) / (a.norm() * b.norm()), 0.03);
}

// The unencoded label is told from chance in at most one of forty pools (the upper tail), the encoded one
// always; with its own columns alone the unencoded one would pass for encoded.
TEST(HeldOutCorrelations, ALabelThatGoesAlongIsNotEncoded) {
  constexpr int kPools = 200;
  int joint = 0;
  int alone = 0;
  int encoded = 0;
  int below = 0;
  for (int i = 0; i < kPools; ++i) {
    const Pool pool(300, 0.8, 100 + i);
    const auto found = pool.found(200);
    joint += found[1].interval.low > 0;
    below += found[1].interval.high < 0;
    encoded += found[0].interval.low > 0;
    const std::vector<Index> scored = scored_rows(200, 300);
    alone += held_out_correlations(pool.products(scored), scored, pool.labels.col(1), {}, 0.95, 1)[0]
                 .interval.low > 0;
  }
  fmt::print(
      "called encoded of {} pools: the encoded label {}, one that goes along {} (alone {}); below 0: {}\n",
      kPools, encoded, joint, alone, below);
  EXPECT_EQ(encoded, kPools);
  EXPECT_LE(joint, 11);  // 2.5 % and two and a half standard errors
  EXPECT_GE(alone, kPools - 2);
}

// Copies on both sides of the folds would be recognised.
TEST(HeldOutCorrelations, GroupsStayInOneFold) {
  constexpr int kPools = 100;
  constexpr Index kCopies = 5;
  int grouped = 0;
  int rows = 0;
  for (int i = 0; i < kPools; ++i) {
    Stream stream(900 + static_cast<std::uint64_t>(i));
    const Matrix originals = stream.normal_matrix(40, 100);
    const Matrix latent = stream.normal_matrix(40, 1);
    Pool pool(40 * kCopies, 0, 1);
    Groups groups;
    pool.rows.resize(40 * kCopies, 100);
    for (Index r = 0; r < 40 * kCopies; ++r) {
      groups.of_row.push_back(r / kCopies);
      pool.rows.row(r) = originals.row(r / kCopies) + 0.3 * stream.normal_matrix(1, 100);
      pool.labels.row(r).setConstant(latent(r / kCopies) < 0 ? 1 : 0);
    }
    groups.count = 40;
    pool.labels = Matrix(pool.labels.leftCols(1));
    grouped += pool.found(200, groups)[0].interval.low > 0;
    rows += pool.found(200)[0].interval.low > 0;
  }
  fmt::print(
      "5 copies of each row, a label of no content: called encoded in {} of {} as rows, {} in groups\n", rows,
      kPools, grouped);
  EXPECT_GE(rows, 95);
  EXPECT_LE(grouped, 7);
}

TEST(HeldOutCorrelations, ARareLabelThatAFoldLacksGivesNumbers) {
  Pool pool(50, 0, 3);
  pool.labels.col(1).setZero();
  pool.labels(7, 1) = 1;
  pool.labels(12, 1) = 1;  // both in fold 2
  for (const HeldOutCorrelation& one : pool.found(50)) {
    EXPECT_TRUE(std::isfinite(one.value));
    EXPECT_LE(one.interval.low, one.interval.high);
  }
}

}  // namespace
}  // namespace atcav::stats
