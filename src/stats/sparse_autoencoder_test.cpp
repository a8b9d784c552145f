#include "stats/sparse_autoencoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

// Rows that are sums of `each` of the features with weights from 0.5 to 1.5, a constant, and noise.
MatrixF planted_rows(const Matrix& features, Index count, Index each, std::uint64_t seed) {
  Stream stream(seed);
  Matrix rows = 0.05 * Stream(seed + 1).normal_matrix(count, features.cols());
  for (Index row = 0; row < count; ++row) {
    const std::vector<Index> order = stream.permutation(features.rows());
    for (Index i = 0; i < each; ++i) rows.row(row) += (0.5 + stream.uniform()) * features.row(order[i]);
  }
  return (rows.array() + 2).matrix().cast<float>();
}

Matrix directions(Index count, Index columns, std::uint64_t seed) {
  return Stream(seed).normal_matrix(count, columns).rowwise().normalized();
}

double recovered(const Matrix& features, const MatrixF& decoder) {
  const Vector best = (features * decoder.cast<double>().transpose()).rowwise().maxCoeff();
  return static_cast<double>((best.array() > 0.9).count()) / static_cast<double>(features.rows());
}

TEST(SparseAutoencoder, FindsPlantedFeaturesWhereMoreAreThanColumns) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Matrix features = directions(48, 32, 100 + seed);
    const MatrixF rows = planted_rows(features, 6000, 3, 200 + seed);
    const SparseAutoencoder found = train_autoencoder(rows, {.features = 48, .seed = seed});
    EXPECT_EQ(found.active, 6);
    EXPECT_GE(recovered(features, found.decoder), 0.8) << seed;
    EXPECT_LT((found.decoder.rowwise().norm().array() - 1).abs().maxCoeff(), 1e-5);
    EXPECT_LT(recovered(features, directions(48, 32, 7).cast<float>()), 0.1);
  }
}

TEST(SparseAutoencoder, ARowShowsTheFeatureThatItHasMostOf) {
  const Matrix features = directions(8, 32, 11);
  Stream stream(12);
  MatrixF rows(800, 32);
  for (Index row = 0; row < rows.rows(); ++row) {
    rows.row(row) = ((1 + stream.uniform()) * features.row(row % 8)).cast<float>();
    for (Index c = 0; c < 32; ++c) rows(row, c) += static_cast<float>(0.1 * stream.normal());
  }
  const SparseAutoencoder found = train_autoencoder(rows, {.features = 8, .seed = 3});
  const std::vector<Index> strongest = strongest_features(rows, found);
  std::vector<std::vector<Index>> counts(8, std::vector<Index>(8));
  for (Index row = 0; row < rows.rows(); ++row)
    if (strongest[row] >= 0) ++counts[row % 8][strongest[row]];
  Index right = 0;
  for (const std::vector<Index>& of_planted : counts) right += std::ranges::max(of_planted);
  EXPECT_GE(right, 760);
}

// Against differences of the loss: a step of Adam from nothing goes down by `rate` wherever the slope is not
// small, so its signs are those of the gradient.
TEST(SparseAutoencoder, AStepGoesDownTheGradient) {
  const MatrixF rows = planted_rows(directions(6, 10, 21), 40, 2, 22);
  SparseAutoencoder start;
  start.decoder = directions(6, 10, 23).cast<float>();
  start.encoder = directions(6, 10, 24).cast<float>();
  start.centre = rows.colwise().mean().transpose();
  start.scale = 1.5F;
  start.active = 2;
  std::vector<Index> all(40);
  for (Index row = 0; row < 40; ++row) all[row] = row;
  const auto loss = [&](const Matrix& encoder, const Matrix& decoder) {
    double sum = 0;
    for (const Index row : all) {
      const Vector y = (rows.row(row).cast<double>().transpose() - start.centre.cast<double>()) / 1.5;
      Vector codes = encoder * y;
      Vector sorted = codes;
      std::ranges::sort(sorted, std::ranges::greater());
      for (double& one : codes) one = one >= sorted(1) && one > 0 ? one : 0;
      sum += (y - decoder.transpose() * codes).squaredNorm() / 40;
    }
    return sum;
  };
  const Matrix encoder = start.encoder.cast<double>();
  const Matrix decoder = start.decoder.cast<double>();
  const auto trainer = start_cpu_trainer(rows, start, 1);
  constexpr float kRate = 1e-4F;
  trainer->step(all, kRate);
  const SparseAutoencoder moved = trainer->finish();
  constexpr double kWay = 1e-6;
  Index compared = 0;
  for (Index k = 0; k < 6; ++k) {
    Vector down(10);
    for (Index c = 0; c < 10; ++c) {
      Matrix up = encoder;
      up(k, c) += kWay;
      const double slope = (loss(up, decoder) - loss(encoder, decoder)) / kWay;
      if (std::abs(slope) > 1e-3) {
        EXPECT_NEAR(moved.encoder(k, c) - start.encoder(k, c), slope > 0 ? -kRate : kRate, 0.02 * kRate);
        ++compared;
      }
      Matrix along = decoder;
      along(k, c) += kWay;
      down(c) = (loss(encoder, along) - loss(encoder, decoder)) / kWay;
    }
    down -= down.dot(decoder.row(k)) * decoder.row(k).transpose();  // across the feature
    Vector way = Vector::Zero(10);
    for (Index c = 0; c < 10; ++c) way(c) = down(c) > 0 ? -1 : 1;
    const Vector step = (moved.decoder.row(k) - start.decoder.row(k)).cast<double>().transpose();
    way -= way.dot(decoder.row(k)) * decoder.row(k).transpose();  // what normalising leaves of it
    EXPECT_LT((step / kRate - way).norm(), 0.02 * way.norm()) << k;
  }
  EXPECT_GT(compared, 40);
}

TEST(SparseAutoencoder, IsTheSameForAnyNumberOfThreadsAndAnotherForAnotherSeed) {
  const MatrixF rows = planted_rows(directions(12, 20, 31), 700, 2, 32);
  const auto train = [&](std::uint64_t seed, int threads) {
    return train_autoencoder(rows, {.features = 12, .seed = seed, .threads = threads});
  };
  const SparseAutoencoder one = train(1, 1);
  const SparseAutoencoder three = train(1, 3);
  EXPECT_EQ(one.decoder, three.decoder);
  EXPECT_EQ(one.encoder, three.encoder);
  EXPECT_EQ(strongest_features(rows, one, 1), strongest_features(rows, three, 3));
  EXPECT_NE(one.decoder, train(2, 1).decoder);
}

TEST(SparseAutoencoder, FeaturesThatNobodyHasStartAnew) {
  const MatrixF rows = planted_rows(directions(12, 20, 41), 600, 2, 42);
  SparseAutoencoder start;
  start.decoder = directions(4, 20, 43).cast<float>();
  start.encoder = start.decoder;
  start.encoder.row(2).setZero();  // never above 0
  start.centre = rows.colwise().mean().transpose();
  start.active = 2;
  const auto trainer = start_cpu_trainer(rows, start, 1);
  const std::vector<Index> batch = Stream(44).permutation(600);
  trainer->step(batch, 1e-3F);
  EXPECT_EQ(trainer->take_uses()[2], 0);
  trainer->restart(std::vector<Index>{2});
  trainer->step(batch, 1e-3F);
  EXPECT_GT(trainer->take_uses()[2], 0);
}

TEST(SparseAutoencoder, RowsThatAreAlikeAndTooFew) {
  const SparseAutoencoder same = train_autoencoder(MatrixF::Ones(20, 3), {.features = 4});
  EXPECT_TRUE(same.decoder.allFinite());
  EXPECT_EQ(strongest_features(MatrixF::Ones(2, 3), same), (std::vector<Index>{-1, -1}));
  const SparseAutoencoder few =
      train_autoencoder(Stream(1).normal_matrix(3, 5).cast<float>(), {.features = 8});
  EXPECT_LE(few.decoder.rows(), 3);
  EXPECT_THROW(train_autoencoder(MatrixF(0, 3), {}), std::invalid_argument);
  EXPECT_THROW(train_autoencoder(MatrixF::Ones(2, 3), {.features = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
