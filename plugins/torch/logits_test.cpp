#include "plugins/torch/logits.h"

#include <gmock/gmock.h>

#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

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

TEST(FindLogits, TakesTheTensorAskedForOrNamesTheClosest) {
  const std::vector<onnx::Node> nodes = {node("Exp", {"x"}, {"fc_logits"}),
                                         node("Neg", {"fc_logits"}, {"y"})};
  EXPECT_EQ(logits_of(nodes, "fc_logits"), "fc_logits");
  EXPECT_THAT([&] { logits_of(nodes, "fc_logit"); },
              testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("'fc_logits'")));
}

}  // namespace
}  // namespace atcav::plugin
