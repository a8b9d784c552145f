#include "plugins/torch/pass/torch_trainer.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav::plugin {
namespace {

// Rows that are sums of two of 24 directions, and noise.
MatrixF planted_rows(Index count, Index columns) {
  const Matrix features = Stream(1).normal_matrix(24, columns).rowwise().normalized();
  Stream stream(2);
  Matrix rows = 0.02 * Stream(3).normal_matrix(count, columns);
  for (Index row = 0; row < count; ++row) {
    for (int i = 0; i < 2; ++i) rows.row(row) += (0.5 + stream.uniform()) * features.row(stream.below(24));
  }
  return rows.cast<float>();
}

// Both do the same sums in another order, so that after a few steps little has come of it.
TEST(TorchTrainer, DoesTheStepsOfTheCpu) {
  const MatrixF rows = planted_rows(900, 40);
  stats::SparseAutoencoder start;
  start.decoder = Stream(4).normal_matrix(30, 40).rowwise().normalized().cast<float>();
  start.encoder = start.decoder;
  start.centre = rows.colwise().mean().transpose();
  start.scale = 1.2F;
  start.active = 3;
  const std::vector<std::shared_ptr<stats::AutoencoderTrainer>> trainers = {
      stats::start_cpu_trainer(rows, start, 2), start_torch_trainer(rows, start, at::kCPU)};
  std::vector<stats::SparseAutoencoder> found;
  std::vector<std::vector<Index>> uses;
  for (const auto& trainer : trainers) {
    Stream stream(5);
    for (int step = 0; step < 12; ++step) {
      std::vector<Index> batch = stream.permutation(rows.rows());
      batch.resize(200);
      trainer->step(batch, 0.004F);
      if (step == 5) trainer->restart(std::vector<Index>{3, 17});
    }
    uses.push_back(trainer->take_uses());
    found.push_back(trainer->finish());
  }
  EXPECT_EQ(uses[0], uses[1]);
  EXPECT_LT((found[0].decoder - found[1].decoder).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT((found[0].encoder - found[1].encoder).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_GT((found[1].encoder - start.encoder).cwiseAbs().maxCoeff(), 0.02);  // it moved
}

// bench/autoencoder_speed.cpp does it on a GPU.
TEST(TorchTrainer, LearnsWhatWasPlanted) {
  const MatrixF rows = planted_rows(3000, 40);
  const stats::SparseAutoencoder found = stats::train_autoencoder(
      rows, {.features = 24, .seed = 1}, [](const MatrixFRef& all, const stats::SparseAutoencoder& from) {
        return start_torch_trainer(all, from, at::kCPU);
      });
  const Matrix planted = Stream(1).normal_matrix(24, 40).rowwise().normalized();
  const Vector best = (planted * found.decoder.cast<double>().transpose()).rowwise().maxCoeff();
  EXPECT_GE((best.array() > 0.9).count(), 20);
}

}  // namespace
}  // namespace atcav::plugin
