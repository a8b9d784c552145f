#include "plugins/torch/prepare.h"

#include <gmock/gmock.h>

#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

onnx::Model small_net() {
  return onnx_model({value("x", {1, 2, 4, 4})},
                    {noise("w", {3, 2, 3, 3}), longs("flat", {2}, {1, 12}), noise("fc", {12, 5}, 1)},
                    {node("Conv", {"x", "w"}, {"c"}, {}, "/features/conv/Conv"),
                     node("Relu", {"c"}, {"r"}, {}, "/features/relu/Relu"), node("Shape", {"r"}, {"s"}),
                     node("Reshape", {"r", "flat"}, {"f"}, {}, "/Reshape"),
                     node("MatMul", {"f", "fc"}, {"z"}, {}, "/head/MatMul"), node("Softmax", {"z"}, {"p"})},
                    {value("p", {1, 5})});
}

TEST(Prepare, ListsLayersInOrderWithShapesOfOneExample) {
  const auto prepared = prepare(small_net(), {});
  ASSERT_EQ(prepared.facts.layers.size(), 4U);
  EXPECT_EQ(prepared.facts.layers[0].name, "c");
  EXPECT_EQ(prepared.facts.layers[0].path, "features/conv");
  EXPECT_EQ(prepared.facts.layers[1].shape, (std::vector<Index>{3, 2, 2}));
  EXPECT_EQ(prepared.facts.layers[1].size, 12);
  EXPECT_EQ(prepared.facts.layers[1].pooled_size, 3);
  EXPECT_TRUE(prepared.channels_first[1]);
  EXPECT_EQ(prepared.facts.layers[3].op, "MatMul");
  EXPECT_FALSE(prepared.channels_first[3]);
  EXPECT_EQ(prepared.facts.logit_count, 5);
}

TEST(Prepare, NotesWhatTheUserShouldKnow) {
  EXPECT_THAT(prepare(small_net(), {}).facts.notes,
              testing::ElementsAre(testing::HasSubstr("Softmax"), testing::HasSubstr("batch of 1")));
}

TEST(Prepare, ChecksItsOptions) {
  EXPECT_THROW(prepare(small_net(), {.device = "tpu"}), std::invalid_argument);
  EXPECT_THROW(prepare(small_net(), {.precision = model::Precision::kBf16}), std::invalid_argument);
  EXPECT_THROW(prepare(small_net(), {.batch = 0}), std::invalid_argument);
}

TEST(Prepare, RefusesOutputsThatIgnoreTheInput) {
  const auto constant =
      onnx_model({value("x", {1})}, {floats("w", {1}, {1})}, {node("Exp", {"w"}, {"y"})}, {value("y", {1})});
  EXPECT_THROW(prepare(constant, {}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
