#include "model/find_layer.h"

#include <gmock/gmock.h>

namespace atcav::model {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// conv1 → layer1.0 (conv1, relu) → layer1.1 (conv1, relu) → layer2.0 (conv1) → head.fc
Facts facts() {
  Facts facts;
  for (const char* name : {"getitem", "conv_1", "relu", "conv_2", "relu_1", "conv_3", "logits"}) {
    Layer layer;
    layer.name = name;
    layer.node = std::string("node_") + name;
    facts.layers.push_back(layer);
  }
  facts.modules = {
      {"conv1", "Conv2d", 0, "folded"},    {"layer1", "Sequential", 4, ""},  {"layer1.0", "Block", 2, ""},
      {"layer1.0.conv1", "Conv2d", 1, ""}, {"layer1.0.relu", "ReLU", 2, ""}, {"layer1.1", "Block", 4, ""},
      {"layer1.1.conv1", "Conv2d", 3, ""}, {"layer2", "Sequential", 5, ""},  {"layer2.0", "Block", 5, ""},
      {"layer2.0.conv1", "Conv2d", 5, ""}, {"head.fc", "Linear", 6, ""}};
  return facts;
}

std::vector<std::string> names(const std::string& pattern) {
  std::vector<std::string> found;
  for (const FoundLayer& layer : find_layers(facts(), pattern)) found.push_back(layer.name);
  return found;
}

TEST(FindLayer, ModuleThenTensorThenNode) {
  EXPECT_EQ(find_layer(facts(), "layer1").position, 4U);
  EXPECT_EQ(find_layer(facts(), "layer1.0.relu").position, 2U);
  EXPECT_EQ(find_layer(facts(), "relu_1").position, 4U);
  EXPECT_EQ(find_layer(facts(), "node_conv_2").position, 3U);
  EXPECT_EQ(find_layer(facts(), "conv1").position, 0U);
  EXPECT_EQ(find_layer(facts(), "conv1").note, "folded");
}

TEST(FindLayer, PathsWithSlashesAreModules) {
  EXPECT_EQ(find_layer(facts(), "/layer1/").position, 4U);
  EXPECT_EQ(find_layer(facts(), "/layer1/layer1.0/conv1").position, 1U);
  EXPECT_EQ(find_layer(facts(), "layer1/layer1.0").position, 2U);
}

TEST(FindLayer, TheEndOfOneNameIsEnough) {
  EXPECT_EQ(find_layer(facts(), "fc").position, 6U);
  EXPECT_EQ(find_layer(facts(), "1.conv1").position, 3U);
}

TEST(FindLayer, SeveralEndsAreListed) {
  Facts deep = facts();
  deep.modules.erase(deep.modules.begin());  // the exact conv1
  EXPECT_THAT([&] { find_layer(deep, "conv1"); },
              testing::ThrowsMessage<std::invalid_argument>(
                  AllOf(HasSubstr("layer 'conv1' could be 3 modules"), HasSubstr("'layer2.0.conv1'"))));
}

TEST(FindLayer, UnknownNamesTellTheClosest) {
  EXPECT_THAT([] { find_layer(facts(), "layer3"); },
              testing::ThrowsMessage<std::invalid_argument>(
                  AllOf(HasSubstr("there is no layer 'layer3'"), HasSubstr("layer1"))));
  EXPECT_THROW(find_layer(facts(), ""), std::invalid_argument);
  EXPECT_THROW(find_layer({}, "x"), std::invalid_argument);
  EXPECT_THROW(find_layer(facts(), "ayer1"), std::invalid_argument);  // no end from a dot on
}

TEST(FindLayers, PatternsStayWithinAPartAndKeepDepthOrder) {
  EXPECT_THAT(names("layer*"), ElementsAre("layer1", "layer2"));
  EXPECT_THAT(names("layer1.?"), ElementsAre("layer1.0", "layer1.1"));
  EXPECT_THAT(names("**.conv1"), ElementsAre("layer1.0.conv1", "layer1.1.conv1", "layer2.0.conv1"));
  EXPECT_THAT(names("*conv1"), ElementsAre("conv1"));
}

// Trying every way to share the text among the stars would take 2³⁰ steps and more.
TEST(FindLayers, ManyStarsTakeNoTime) {
  Facts facts;
  facts.layers.resize(1);
  facts.layers[0].name = std::string(60, 'a');
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += i % 2 == 0 ? "a*" : "a**";
  EXPECT_THROW(find_layers(facts, pattern + "b"), std::invalid_argument);
  EXPECT_EQ(find_layers(facts, pattern).size(), 1);
}

TEST(FindLayers, ATensorComesOnce) { EXPECT_THAT(names("layer2**"), ElementsAre("layer2")); }

TEST(FindLayers, TensorsWhereNoModuleMatches) { EXPECT_THAT(names("relu*"), ElementsAre("relu", "relu_1")); }

TEST(FindLayers, NothingIsAnError) { EXPECT_THROW(names("block*"), std::invalid_argument); }

}  // namespace
}  // namespace atcav::model
