#include "plugins/torch/import/modules.h"

#include <gmock/gmock.h>

#include "plugins/torch/torch_model.h"
#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::node;
using testing_support::noise;
using testing_support::onnx_model;
using testing_support::value;

onnx::Node in_modules(onnx::Node node, const std::vector<std::string>& modules) {
  for (const std::string& module : modules) node.scopes.push_back({module, "Type"});
  return node;
}

model::Facts facts_of(std::vector<onnx::Node> nodes, const std::string& output,
                      std::vector<onnx::Tensor> weights = {noise("layer.0.conv.weight", {3, 3, 1, 1}),
                                                           noise("layer.0.conv.bias", {3})}) {
  return make_torch_model(onnx_model({value("x", {-1, 3, 4, 4})}, std::move(weights), std::move(nodes),
                                     {value(output, {-1, 3, 4, 4})}))
      ->facts();
}

std::string tensor_of(const model::Facts& facts, const std::string& module) {
  for (const model::Module& each : facts.modules) {
    if (each.name == module) return facts.layers[each.layer].name;
  }
  return "none";
}

std::string note_of(const model::Facts& facts, const std::string& module) {
  for (const model::Module& each : facts.modules) {
    if (each.name == module) return each.note;
  }
  return "no module " + module;
}

// layer.0 (conv, relu) then layer.1 (relu): the container gives what its last part gives.
TEST(FindModules, AModuleGivesWhatOthersRead) {
  const model::Facts facts =
      facts_of({in_modules(node("Conv", {"x", "layer.0.conv.weight", "layer.0.conv.bias"}, {"a"}),
                           {"layer", "layer.0", "layer.0.conv"}),
                in_modules(node("Relu", {"a"}, {"b"}), {"layer", "layer.0", "layer.0.relu"}),
                in_modules(node("Tanh", {"b"}, {"d"}), {"layer", "layer.1"}), node("Add", {"d", "b"}, {"y"})},
               "y");
  EXPECT_EQ(tensor_of(facts, "layer.0.conv"), "a");
  EXPECT_EQ(tensor_of(facts, "layer.0"), "b");
  EXPECT_EQ(tensor_of(facts, "layer.1"), "d");
  EXPECT_EQ(tensor_of(facts, "layer"), "d");
  EXPECT_THAT(note_of(facts, "layer"), HasSubstr("gives 2 tensors (b, d)"));
  std::vector<std::string> order;
  for (const model::Module& module : facts.modules) order.push_back(module.name);
  EXPECT_THAT(order, ElementsAre("layer", "layer.0", "layer.0.conv", "layer.0.relu", "layer.1"));
}

TEST(FindModules, AFoldedConvolutionKeepsItsName) {
  const model::Facts facts =
      facts_of({in_modules(node("Conv", {"x", "block.conv1.weight", "block.conv1.weight_bias"}, {"a"}),
                           {"block", "block.bn1"}),
                in_modules(node("Relu", {"a"}, {"y"}), {"block", "block.relu"})},
               "y", {noise("block.conv1.weight", {3, 3, 1, 1}), noise("block.conv1.weight_bias", {3})});
  EXPECT_EQ(tensor_of(facts, "block.bn1"), "a");
  EXPECT_EQ(tensor_of(facts, "block.conv1"), "a");
  EXPECT_THAT(note_of(facts, "block.conv1"), HasSubstr("folded 'block.bn1' into 'block.conv1'"));
}

TEST(FindModules, OldNamesOfFoldedNormsAndSecondCalls) {
  const model::Facts facts = facts_of(
      {node("Conv", {"x", "onnx::Conv_1", "onnx::Conv_2"}, {"a"}, {}, "/block/conv1/Conv"),
       node("Relu", {"a"}, {"b"}, {}, "/block/relu/Relu"), node("Add", {"b", "x"}, {"c"}, {}, "/block/Add"),
       node("Relu", {"c"}, {"d"}, {}, "/block/relu_1/Relu"), node("Tanh", {"d"}, {"y"}, {}, "/Tanh")},
      "y", {noise("onnx::Conv_1", {3, 3, 1, 1}), noise("onnx::Conv_2", {3})});
  EXPECT_EQ(tensor_of(facts, "block.bn1"), "a");
  EXPECT_THAT(note_of(facts, "block.bn1"), HasSubstr("does not name 'block.bn1'"));
  EXPECT_THAT(note_of(facts, "block.conv1"),
              HasSubstr("folded a BatchNorm into the convolution 'block.conv1'"));
  EXPECT_EQ(tensor_of(facts, "block.relu"), "d");
  EXPECT_THAT(note_of(facts, "block.relu"), HasSubstr("gives 2 tensors (b, d)"));
  EXPECT_EQ(tensor_of(facts, "block.relu_1"), "d");
  EXPECT_EQ(tensor_of(facts, "block"), "d");
}

TEST(FindModules, ModulesWithWeightsOfTheirOwnAreNoCalls) {
  const model::Facts facts = facts_of(
      {node("Conv", {"x", "fc.weight"}, {"a"}, {}, "/fc/Conv"),
       node("Conv", {"a", "fc_1.weight"}, {"b"}, {}, "/fc_1/Conv"), node("Relu", {"b"}, {"y"}, {}, "/Relu")},
      "y", {noise("fc.weight", {3, 3, 1, 1}), noise("fc_1.weight", {3, 3, 1, 1}, 1)});
  EXPECT_EQ(tensor_of(facts, "fc"), "a");
  EXPECT_EQ(tensor_of(facts, "fc_1"), "b");
}

// The old exporter writes /h.0/fc/Conv for transformer.h.0.fc where `transformer` is a ModuleDict.
TEST(FindModules, WeightsTellTheContainersThatOldNamesLeaveOut) {
  const model::Facts facts =
      facts_of({node("Conv", {"x", "transformer.h.0.fc.weight"}, {"a"}, {}, "/h.0/fc/Conv"),
                node("Relu", {"a"}, {"b"}, {}, "/h.0/act/Relu"),
                node("Conv", {"b", "transformer.h.0.mlp.fc.weight"}, {"c"}, {}, "/h.0/fc_1/Conv"),
                node("Tanh", {"c"}, {"y"})},
               "y",
               {noise("transformer.h.0.fc.weight", {3, 3, 1, 1}),
                noise("transformer.h.0.mlp.fc.weight", {3, 3, 1, 1}, 1)});
  EXPECT_EQ(tensor_of(facts, "transformer.h.0.fc"), "a");
  EXPECT_EQ(tensor_of(facts, "transformer.h.0.act"), "b");
  EXPECT_EQ(tensor_of(facts, "transformer.h.0.mlp.fc"), "c");
  EXPECT_EQ(tensor_of(facts, "transformer.h.0"), "c");
}

TEST(FindModules, PartsThatDoNothingGiveWhatTheyAreGiven) {
  const model::Facts facts =
      facts_of({in_modules(node("Relu", {"x"}, {"a"}), {"net", "net.0"}),
                in_modules(node("Tanh", {"a"}, {"b"}), {"net", "net.2"}), node("Relu", {"b"}, {"y"})},
               "y", {});
  EXPECT_EQ(tensor_of(facts, "net.1"), "a");
  EXPECT_THAT(note_of(facts, "net.1"), HasSubstr("left nothing in the file"));
  EXPECT_EQ(tensor_of(facts, "net.3"), "none");
}

TEST(FindModules, AnOpThatIsNotSupportedIsNamedWithItsModule) {
  onnx::Node strange = in_modules(node("Sparkle", {"x"}, {"y"}, {}, "node_7"), {"head", "head.sparkle"});
  strange.domain = "com.example";
  EXPECT_THAT([&] { facts_of({strange}, "y"); },
              testing::ThrowsMessage<std::runtime_error>(
                  HasSubstr("not supported: node 'node_7' (com.example.Sparkle) in module 'head.sparkle'")));
}

}  // namespace
}  // namespace atcav::plugin
