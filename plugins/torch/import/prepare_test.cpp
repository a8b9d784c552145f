#include "plugins/torch/import/prepare.h"

#include <gmock/gmock.h>
#include <torch/version.h>

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
  EXPECT_EQ(prepared.facts.layers[0].path, "features.conv");
  EXPECT_EQ(prepared.facts.layers[1].shape, (std::vector<Index>{3, 2, 2}));
  EXPECT_EQ(prepared.facts.layers[1].size, 12);
  EXPECT_EQ(prepared.facts.layers[1].pooled_size, 3);
  EXPECT_TRUE(prepared.facts.layers[1].channels_first);
  EXPECT_EQ(prepared.facts.layers[3].op, "MatMul");
  EXPECT_FALSE(prepared.facts.layers[3].channels_first);
  EXPECT_EQ(prepared.facts.logit_count, 5);
}

TEST(Prepare, NotesWhatTheUserShouldKnow) {
  EXPECT_THAT(prepare(small_net(), {}).facts.notes,
              testing::ElementsAre(testing::HasSubstr("Softmax"), testing::HasSubstr("batch of 1")));
}

TEST(Prepare, ChecksItsOptions) {
  EXPECT_THROW(prepare(small_net(), {.device = {true, 1000}}), std::invalid_argument);
  EXPECT_THROW(prepare(small_net(), {.precision = model::Precision::kTf32}), std::invalid_argument);
#if TORCH_VERSION_MAJOR < 2
  EXPECT_THAT([] { prepare(small_net(), {.precision = model::Precision::kBf16}); },
              testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("2.1 and newer do not")));
#endif
  EXPECT_THROW(prepare(small_net(), {.batch = 0}), std::invalid_argument);
}

TEST(Prepare, RefusesOutputsThatIgnoreTheInput) {
  const auto constant =
      onnx_model({value("x", {1})}, {floats("w", {1}, {1})}, {node("Exp", {"w"}, {"y"})}, {value("y", {1})});
  EXPECT_THROW(prepare(constant, {}), std::runtime_error);
}

std::string logits_of(std::vector<onnx::Node> nodes, const std::string& output = "") {
  const Network network =
      build_network(onnx_model({value("x", {1, 3})}, {}, std::move(nodes), {value("y", {1, 3})}));
  return network.names[find_logits(network, output).slot];
}

TEST(FindLogits, StepsOverAFinalSoftmaxAndWhatFollowsIt) {
  EXPECT_EQ(logits_of({node("Exp", {"x"}, {"y"})}), "y");
  EXPECT_EQ(logits_of({node("Exp", {"x"}, {"z"}), node("Softmax", {"z"}, {"y"})}), "z");
  EXPECT_EQ(
      logits_of({node("Exp", {"x"}, {"z"}), node("LogSoftmax", {"z"}, {"p"}), node("Flatten", {"p"}, {"y"})}),
      "z");
  EXPECT_EQ(logits_of({node("Exp", {"x"}, {"z"}), node("Flatten", {"z"}, {"y"})}), "y");
  EXPECT_EQ(logits_of({node("Exp", {"x"}, {"z"}), node("Softmax", {"z"}, {"p"}), node("Exp", {"p"}, {"y"})}),
            "y");
}

TEST(FindLogits, SaysSo) {
  const Network network = build_network(
      onnx_model({value("x", {1, 3})}, {}, {node("Softmax", {"x"}, {"y"})}, {value("y", {1, 3})}));
  EXPECT_THAT(find_logits(network, "").note, testing::HasSubstr("Softmax was stepped over"));
}

// scikit-learn: a label first, then probabilities as a list of maps.
TEST(FindLogits, PassesLabelsAndMaps) {
  onnx::Node map = node("ZipMap", {"p"}, {"maps"});
  map.domain = "ai.onnx.ml";
  const Network network = build_network(onnx_model(
      {value("x", {1, 3})}, {}, {node("ArgMax", {"x"}, {"label"}), node("Softmax", {"x"}, {"p"}), map},
      {value("label", {1}, onnx::Type::kInt64), value("maps", {}, onnx::Type::kUndefined)}));
  EXPECT_EQ(network.names[find_logits(network, "").slot], "x");
}

TEST(FindLogits, AMapOfNothingIsItsOwnEnd) {
  for (const std::vector<std::string>& inputs : {std::vector<std::string>(), {""}}) {
    onnx::Node map = node("ZipMap", inputs, {"maps"});
    map.domain = "ai.onnx.ml";
    const Network network = build_network(
        onnx_model({value("x", {1, 3})}, {}, {map}, {value("maps", {}, onnx::Type::kUndefined)}));
    EXPECT_EQ(network.names[find_logits(network, "").slot], "maps");
  }
}

TEST(FindLogits, TakesTheTensorAskedForOrNamesTheClosest) {
  const std::vector<onnx::Node> nodes = {node("Exp", {"x"}, {"fc_logits"}),
                                         node("Neg", {"fc_logits"}, {"y"})};
  EXPECT_EQ(logits_of(nodes, "fc_logits"), "fc_logits");
  EXPECT_THAT([&] { logits_of(nodes, "fc_logit"); },
              testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("'fc_logits'")));
}

}  // namespace
}  // namespace atcav::plugin
