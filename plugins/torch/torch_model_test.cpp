#include "atcav/model/model.h"

#include <gmock/gmock.h>

#include <array>

#include "plugins/torch/onnx/graph.h"
#include "tests/support/onnx_model.h"
#include "tests/support/temp_folder.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

// y = (relu(x·A))·B with A 3×4, B 4×2: the gradient of y_k at the relu is column k of B, whatever x.
Model two_layers(Index batch = 32) {
  return Model::from_graph(model({value("x", {-1, 3})}, {noise("A", {3, 4}), noise("B", {4, 2}, 1)},
                                 {node("MatMul", {"x", "A"}, {"h"}), node("Relu", {"h"}, {"a"}),
                                  node("MatMul", {"a", "B"}, {"y"})},
                                 {value("y", {-1, 2})}),
                           {.batch = batch});
}

InputBatch examples(Index rows) {
  InputBatch batch{{rows, 3}, {}, {}};
  for (Index i = 0; i < rows * 3; ++i) batch.reals.push_back(static_cast<float>((i * 7) % 5) - 2);
  return batch;
}

MatrixF matrix_b() {
  const onnx::Tensor b = noise("B", {4, 2}, 1);
  MatrixF matrix(4, 2);
  std::memcpy(matrix.data(), b.bytes.data(), b.bytes.size());
  return matrix;
}

TEST(Model, GradientsOfALinearTailAreItsWeights) {
  const Model model = two_layers();
  const std::size_t layer = model.find_layer("a");
  const MatrixF z = model.gradients(std::array{layer}, {examples(5)}, {1})[0];
  ASSERT_EQ(z.rows(), 5);
  for (Index i = 0; i < 5; ++i) EXPECT_TRUE(z.row(i).transpose().isApprox(matrix_b().col(1)));
  const MatrixF each = model.gradients(std::array{layer}, {examples(2)}, {0, 1})[0];
  EXPECT_TRUE(each.row(0).transpose().isApprox(matrix_b().col(0)));
  EXPECT_TRUE(each.row(1).transpose().isApprox(matrix_b().col(1)));
}

// h lies before a: its gradient is a's where h > 0 and 0 elsewhere. Both from one pass.
TEST(Model, SeveralLayersComeOutOfOnePass) {
  const Model model = two_layers();
  const std::array layers = {model.find_layer("h"), model.find_layer("a")};
  const auto x = model.forward_to(layers, {examples(4)});
  const auto z = model.gradients(layers, {examples(4)}, {0});
  EXPECT_TRUE(x[1].isApprox(x[0].cwiseMax(0)));
  EXPECT_TRUE(z[0].isApprox((x[0].array() > 0).select(z[1], MatrixF::Zero(4, 4))));
}

TEST(Model, MiniBatchesChangeNothing) {
  const Model whole = two_layers();
  const Model small = two_layers(3);
  const std::array layers = {whole.find_layer("h")};
  EXPECT_TRUE(
      whole.forward_to(layers, {examples(8)})[0].isApprox(small.forward_to(layers, {examples(8)})[0], 1e-6F));
  EXPECT_TRUE(whole.gradients(layers, {examples(8)}, {1})[0].isApprox(
      small.gradients(layers, {examples(8)}, {1})[0], 1e-6F));
  EXPECT_TRUE(whole.run_to_logits({examples(8)}).isApprox(small.run_to_logits({examples(8)}), 1e-6F));
}

// One example at a time when a network cannot be batched: the last block is filled up and cut again.
TEST(Model, NetworksThatMixExamplesAreRunAlone) {
  const Model model = Model::from_graph(testing_support::model(
      {value("x", {2, 3})}, {},
      {node("ReduceMean", {"x"}, {"m"}, {integers("axes", {0})}), node("Sub", {"x", "m"}, {"y"})},
      {value("y", {2, 3})}, 13));
  EXPECT_EQ(model.run_to_logits({examples(3)}).rows(), 3);
  EXPECT_THAT(model.notes().back(), testing::HasSubstr("2 at a time"));
}

TEST(Model, PoolsOverPositions) {
  const Model model = Model::from_graph(
      testing_support::model({value("x", {-1, 2, 4, 4})}, {noise("w", {3, 2, 1, 1}), noise("fc", {3, 2}, 1)},
                             {node("Conv", {"x", "w"}, {"c"}), node("GlobalAveragePool", {"c"}, {"g"}),
                              node("Flatten", {"g"}, {"f"}), node("MatMul", {"f", "fc"}, {"y"})},
                             {value("y", {-1, 2})}));
  InputBatch batch{{2, 2, 4, 4}, std::vector<float>(64, 0.5F), {}};
  const std::array layer = {model.find_layer("c")};
  EXPECT_EQ(model.columns(layer[0], Pool::mean), 3);
  const MatrixF whole = model.gradients(layer, {batch}, {0})[0];
  const MatrixF pooled = model.gradients(layer, {batch}, {0}, Pool::mean)[0];
  EXPECT_EQ(pooled.cols(), 3);
  EXPECT_NEAR(pooled(0, 0), whole.row(0).head(16).sum(), 1e-6);
  EXPECT_NEAR(model.forward_to(layer, {batch}, Pool::mean)[0](1, 2),
              model.forward_to(layer, {batch})[0](1, 32), 1e-6);
}

TEST(Model, TakesTokenIds) {
  const Model model = Model::from_graph(testing_support::model(
      {value("ids", {-1, 3}, onnx::Type::int64)}, {noise("table", {5, 2})},
      {node("Gather", {"table", "ids"}, {"e"}),
       node("ReduceMean", {"e"}, {"y"}, {integers("axes", {1}), integer("keepdims", 0)})},
      {value("y", {-1, 2})}, 13));
  const InputBatch ids{{2, 3}, {}, {0, 1, 4, 2, 2, 2}};
  const MatrixF z = model.gradients(std::array{model.find_layer("e")}, {ids}, {0})[0];
  EXPECT_NEAR(z(0, 0), 1.0 / 3, 1e-6);
  EXPECT_EQ(z(0, 1), 0);
}

TEST(Model, RefusesWhatDoesNotFit) {
  const Model model = two_layers();
  const std::array layer = {std::size_t{0}};
  EXPECT_THROW(model.gradients(layer, {examples(2)}, {2}), std::invalid_argument);
  EXPECT_THROW(model.gradients(layer, {examples(2)}, {0, 0, 0}), std::invalid_argument);
  EXPECT_THROW(model.forward_to(layer, {}), std::invalid_argument);
  EXPECT_THROW(model.forward_to(std::array{std::size_t{9}}, {examples(1)}), std::invalid_argument);
}

// Files that end in a message, and soon: nothing here may hang, crash or ask for much memory.
TEST(ModelLoad, MalformedModelsAreRefused) {
  const TempFolder folder;
  const auto refused = [&](const onnx::Model& bad, const char* why) {
    folder.write("bad.onnx", model_bytes(bad));
    EXPECT_THAT([&] { Model::load(folder.file("bad.onnx")); },
                testing::ThrowsMessage<std::runtime_error>(
                    testing::AllOf(testing::HasSubstr("bad.onnx"), testing::HasSubstr(why))));
  };
  const std::vector<onnx::Value> in = {value("x", {1, 3})};
  const std::vector<onnx::Value> out = {value("y", {1, 3})};
  refused(testing_support::model(
              in, {}, {node("Add", {"x", "b"}, {"a"}), node("Neg", {"a"}, {"b"}), node("Neg", {"b"}, {"y"})},
              out),
          "cyclic");
  refused(testing_support::model(in, {}, {node("Add", {"x", "gone"}, {"y"})}, out), "'gone'");
  refused(testing_support::model(in, {}, {node("Swirl", {"x"}, {"y"}, {}, "odd")}, out),
          "node 'odd' (Swirl)");
  refused(
      testing_support::model(in, {longs("s", {2}, {1'000'000'000, 1'000'000'000})},
                             {node("ConstantOfShape", {"s"}, {"c"}), node("Add", {"x", "c"}, {"y"})}, out),
      "ConstantOfShape");
  refused(testing_support::model({value("x", {1, 1'000'000'000, 1'000'000'000})}, {},
                                 {node("Neg", {"x"}, {"y"})}, out),
          "'x'");
  refused(
      testing_support::model(in, {noise("w", {4, 4})}, {node("MatMul", {"x", "w"}, {"y"}, {}, "fc")}, out),
      "node 'fc' (MatMul)");
}

}  // namespace
}  // namespace atcav::plugin
