#include "atcav/model/layer.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace atcav::model {
namespace {

std::vector<Layer> layers() {
  std::vector<Layer> all;
  for (const char* node :
       {"/conv1/Conv", "/layer3/layer3.0/conv1/Conv", "/layer3/layer3.1/relu/Relu", "/layer30/Add"}) {
    Layer layer;
    layer.node = node;
    layer.name = std::string(node) + "_output_0";
    layer.path = module_path(node);
    all.push_back(layer);
  }
  return all;
}

TEST(FindLayer, ByTensorThenNodeThenModule) {
  const auto all = layers();
  EXPECT_EQ(find_layer(all, "/layer30/Add_output_0"), 3U);
  EXPECT_EQ(find_layer(all, "/layer3/layer3.0/conv1/Conv"), 1U);
  EXPECT_EQ(find_layer(all, "layer3"), 2U);
  EXPECT_EQ(find_layer(all, "/layer3/"), 2U);
  EXPECT_EQ(find_layer(all, "layer3.0"), 1U);
  EXPECT_EQ(find_layer(all, "layer3/layer3.0"), 1U);
  EXPECT_EQ(find_layer(all, "layer30"), 3U);
}

TEST(FindLayer, UnknownNamesGetTheClosest) {
  EXPECT_THAT([] { find_layer(layers(), "layer4"); },
              testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("'layer3'")));
  EXPECT_THROW(find_layer(layers(), ""), std::invalid_argument);
  EXPECT_THROW(find_layer({}, "x"), std::invalid_argument);
}

TEST(ModulePath, DropsTheLastPart) {
  EXPECT_EQ(module_path("/layer3/conv/Conv"), "layer3/conv");
  EXPECT_EQ(module_path("Conv_7"), "");
}

}  // namespace
}  // namespace atcav::model
