#include "plugins/torch/exec/batch.h"

#include <gtest/gtest.h>

#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

BatchStudy study(const onnx::Model& graph) {
  Network network = build_network(graph);
  return study_batch(network, network.slots.at("y"), {});
}

// As exported for one picture: reshape to [1, 4], one more reshape with −1.
TEST(StudyBatch, ReshapesToAConstantOneFollowTheBatch) {
  const auto found =
      study(onnx_model({value("x", {1, 2, 2})}, {longs("flat", {2}, {1, 4}), longs("open", {2}, {-1, 2})},
                       {node("Reshape", {"x", "flat"}, {"a"}), node("Reshape", {"a", "open"}, {"b"}),
                        node("Reshape", {"b", "flat"}, {"y"})},
                       {value("y", {1, 4})}));
  EXPECT_TRUE(found.batchable) << found.obstacle;
  EXPECT_EQ(found.adapted.size(), 2U);
}

// Attention of a ViT: tokens first, heads merged with the batch: [5, 1, 6] → [5, 1·2, 3].
TEST(StudyBatch, HeadsMergedWithTheBatchAreScaled) {
  const auto found = study(onnx_model(
      {value("x", {1, 5, 6})}, {longs("heads", {3}, {5, 2, 3}), longs("back", {3}, {5, 1, 6})},
      {node("Transpose", {"x"}, {"t"}, {integers("perm", {1, 0, 2})}), node("Reshape", {"t", "heads"}, {"h"}),
       node("Softmax", {"h"}, {"s"}), node("Reshape", {"s", "back"}, {"r"}),
       node("Transpose", {"r"}, {"y"}, {integers("perm", {1, 0, 2})})},
      {value("y", {1, 5, 6})}));
  EXPECT_TRUE(found.batchable) << found.obstacle;
  EXPECT_EQ(found.adapted.size(), 2U);
}

// A product over tokens and batch in one dimension, tokens outside: [5, 1, 2, 3] → [5·1, 6] → [5, 1, 6].
TEST(StudyBatch, TokensMayStandBeforeTheBatch) {
  const auto graph = onnx_model(
      {value("x", {1, 5, 6})},
      {longs("heads", {4}, {5, 1, 2, 3}), longs("rows", {2}, {5, 6}), longs("back", {3}, {5, 1, 6}),
       noise("w", {6, 6})},
      {node("Transpose", {"x"}, {"t"}, {integers("perm", {1, 0, 2})}), node("Reshape", {"t", "heads"}, {"h"}),
       node("Tanh", {"h"}, {"a"}), node("Reshape", {"a", "rows"}, {"r"}), node("Gemm", {"r", "w"}, {"g"}),
       node("Reshape", {"g", "back"}, {"b"}), node("Transpose", {"b"}, {"y"}, {integers("perm", {1, 0, 2})})},
      {value("y", {1, 5, 6})});
  Network network = build_network(graph);
  const BatchStudy found = study_batch(network, network.slots.at("y"), {});
  ASSERT_TRUE(found.batchable) << found.obstacle;
  const SlotShape& rows = found.shapes[network.slots.at("g")];
  EXPECT_EQ(rows.batch_dim, 0);
  EXPECT_EQ(rows.left, 5);
}

// As PyTorch writes a mean over positions of one picture: flattened, then each element picked by its number.
TEST(StudyBatch, NumbersOfElementsFollowTheBatch) {
  const auto found =
      study(onnx_model({value("x", {1, 3})}, {longs("open", {1}, {-1}), longs("which", {1, 3, 1}, {2, 0, 1})},
                       {node("Reshape", {"x", "open"}, {"flat"}), node("Gather", {"flat", "which"}, {"y"})},
                       {value("y", {1, 3, 1})}));
  EXPECT_TRUE(found.batchable) << found.obstacle;
  EXPECT_EQ(found.adapted.size(), 1U);
}

TEST(StudyBatch, AClassTokenMadeForOneIsRepeated) {
  const auto found = study(onnx_model({value("x", {1, 2, 3})}, {noise("token", {1, 1, 3})},
                                      {node("Concat", {"token", "x"}, {"y"}, {integer("axis", 1)})},
                                      {value("y", {1, 3, 3})}));
  EXPECT_TRUE(found.batchable) << found.obstacle;
  EXPECT_EQ(found.adapted.size(), 1U);
}

TEST(StudyBatch, NoticesWhenExamplesMix) {
  const auto found = study(onnx_model(
      {value("x", {-1, 3})}, {},
      {node("ReduceMean", {"x"}, {"m"}, {integers("axes", {0})}, ""), node("Sub", {"x", "m"}, {"y"})},
      {value("y", {-1, 3})}, 13));
  EXPECT_FALSE(found.batchable);
  EXPECT_NE(found.obstacle.find("together"), std::string::npos);
}

TEST(StudyBatch, SaysWhyANetworkCannotBeBatched) {
  const auto found = study(onnx_model({value("x", {1, 4})}, {noise("w", {1, 4})},
                                      {node("Einsum", {"x", "w"}, {"y"}, {text("equation", "ij,ij->j")})},
                                      {value("y", {4})}));
  EXPECT_FALSE(found.batchable);
  EXPECT_FALSE(found.obstacle.empty());
}

TEST(ExampleInputs, FillOpenSizes) {
  const Network network =
      build_network(onnx_model({value("image", {-1, 3, -1, -1}), value("ids", {-1, -1}, onnx::Type::kInt64)},
                               {}, {node("Relu", {"image"}, {"y"})}, {value("y", {})}));
  const Tensors inputs = example_inputs(network, {}, 2, 0);
  EXPECT_EQ(inputs[0].sizes().vec(), (Sizes{2, 3, 224, 224}));
  EXPECT_EQ(inputs[1].sizes().vec(), (Sizes{2, 16}));
  EXPECT_EQ(inputs[1].scalar_type(), at::kLong);
  EXPECT_EQ(example_inputs(network, {{3, 32, 48}}, 1, 0)[0].sizes().vec(), (Sizes{1, 3, 32, 48}));
}

// Reshape to [-1, 4] is right for any batch; scaling its constants would break it.
TEST(StudyBatch, LeavesAGraphThatTakesAnyBatchAsItIs) {
  Network network = build_network(
      onnx_model({value("x", {-1, 2, 4})},
                 {longs("rows", {2}, {-1, 4}), longs("back", {3}, {-1, 2, 4}), noise("w", {4, 4})},
                 {node("Reshape", {"x", "rows"}, {"r"}), node("MatMul", {"r", "w"}, {"m"}),
                  node("Reshape", {"m", "back"}, {"y"})},
                 {value("y", {})}));
  const BatchStudy study = study_batch(network, network.slots.at("y"));
  EXPECT_TRUE(study.batchable);
  EXPECT_TRUE(study.adapted.empty());
}

TEST(ExampleInputs, SizesWithOneSymbolAreEqualAndMasksAreOnes) {
  onnx::Value ids = value("ids", {-1, -1}, onnx::Type::kInt64);
  ids.symbols = {"batch", "length"};
  onnx::Value mask = ids;
  mask.name = "attention_mask";
  const Network network =
      build_network(onnx_model({ids, mask}, {}, {node("Mul", {"ids", "attention_mask"}, {"y"})},
                               {value("y", {}, onnx::Type::kInt64)}));
  EXPECT_THROW(example_inputs(network, {{7}, {8}}, 2, 0), std::invalid_argument);
  const Tensors inputs = example_inputs(network, {{7}}, 2, 0);
  EXPECT_EQ(inputs[1].sizes().vec(), (Sizes{2, 7}));
  EXPECT_EQ(inputs[1].min().item<std::int64_t>(), 1);
}

}  // namespace
}  // namespace atcav::plugin
