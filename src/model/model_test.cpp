#include "atcav/model.h"

#include <gtest/gtest.h>

#include <array>

#include "model/find_layer.h"
#include "model/plugin.h"
#include "model/testing_model.h"

namespace atcav::model {
namespace {

MatrixF some_rows() {
  return MatrixF::NullaryExpr(4, TestingModel::kInputs, [](Index i, Index j) {
    return 0.1F * static_cast<float>(i) - 0.2F * static_cast<float>(j);
  });
}

// The formula's own gradients are what other tests lean on: here they meet central differences of
// logits_from. Step 1/64 in float32: rounding adds about 1e-7/0.03, the third derivative about 1e-4.
TEST(TestingModel, GradientsAreTheSlopesOfItsLogits) {
  TestingModel model;
  const auto inputs = TestingModel::batch(some_rows());
  constexpr float kStep = 1.0F / 64;
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const MatrixF x = model.activations(std::array{layer}, inputs, Pool::kNone)[0]->host();
    const RowsPtr z = model.gradients(std::array{layer}, inputs, {0, 1, 2, 0}, Pool::kNone).layers[0];
    for (Index j = 0; j < x.cols(); ++j) {
      MatrixF up = x;
      MatrixF down = x;
      up.col(j).array() += kStep;
      down.col(j).array() -= kStep;
      const MatrixF slope =
          (model.logits_from(layer, up, {})->host() - model.logits_from(layer, down, {})->host()) /
          (2 * kStep);
      for (Index i = 0; i < 4; ++i)
        EXPECT_NEAR(z->host()(i, j), slope(i, i % 3), 1e-3) << layer << ' ' << i << ' ' << j;
    }
  }
}

// Moving a pooled channel by 1 moves each of its positions by 1: that is what the pooled gradient counts.
TEST(TestingModel, PoolsTheFirstLayer) {
  TestingModel model;
  const auto inputs = TestingModel::batch(some_rows());
  const std::array layer = {find_layer(model.facts(), "hidden").position};
  const RowsPtr whole = model.activations(layer, inputs, Pool::kNone)[0];
  const RowsPtr pooled = model.activations(layer, inputs, Pool::kMean)[0];
  ASSERT_EQ(pooled->columns(), model.facts().layers[layer[0]].pooled_size);
  EXPECT_NEAR(pooled->host()(2, 1), (whole->host()(2, 2) + whole->host()(2, 3)) / 2, 1e-6);
  EXPECT_NEAR(model.gradients(layer, inputs, {1}, Pool::kMean).layers[0]->host()(0, 3),
              model.gradients(layer, inputs, {1}, Pool::kNone).layers[0]->host().row(0).tail(2).sum(), 1e-6);
}

TEST(Pool, TextComesBack) {
  for (const char* text : {"none", "mean", "max", "cls", "last", "3"})
    EXPECT_EQ(pool_text(read_pool(text)), text);
  EXPECT_EQ(read_pool("0"), Pool::kFirst);
  for (const char* text : {"", "-1", "avg", "3x"})
    EXPECT_THROW(read_pool(text), std::invalid_argument) << text;
}

TEST(Model, GradientsComeWithLogits) {
  TestingModel model;
  const auto inputs = TestingModel::batch(MatrixF::Random(3, TestingModel::kInputs));
  const WithLogits found = model.gradients(std::array{std::size_t{1}}, inputs, {1}, Pool::kNone);
  EXPECT_EQ(found.layers.size(), 1U);
  EXPECT_EQ(found.logits->host(), model.logits(inputs)->host());
}

TEST(Devices, TextComesBack) {
  for (const char* text : {"cpu", "cuda", "cuda:1", "cuda:0,cuda:1", "cpu,cuda:12"})
    EXPECT_EQ(device_text(read_devices(text)), text);
  EXPECT_EQ(read_devices("cuda:0,cuda"), (std::vector<Device>{{true, 0}, {true, -1}}));
  for (const char* text :
       {"", "gpu", "cuda:", "cuda:x", "cuda:01", "cuda:-1", "cuda0", "CPU", "cpu,", "cuda:1 "})
    EXPECT_THROW(read_devices(text), std::invalid_argument) << text;
}

TEST(Devices, RanksTakeGpusInTurn) {
  constexpr Device kAnyGpu{true};
  const auto number = [](Device asked, int local_rank, int gpus) {
    return device_of_rank({.device = asked, .local_rank = local_rank}, gpus).number;
  };
  EXPECT_EQ(number(kAnyGpu, 0, 4), 0);
  EXPECT_EQ(number(kAnyGpu, 3, 4), 3);
  EXPECT_EQ(number(kAnyGpu, 5, 4), 1);
  EXPECT_EQ(number({true, 2}, 1, 4), 2);
  EXPECT_FALSE(device_of_rank({.local_rank = 1}, 4).gpu);
  EXPECT_EQ(number(kAnyGpu, 1, 0), -1);  // refused later, by name
}

}  // namespace
}  // namespace atcav::model
