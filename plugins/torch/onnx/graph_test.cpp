#include "plugins/torch/onnx/graph.h"

#include <gtest/gtest.h>

namespace atcav::onnx {
namespace {

TEST(Node, TitlesNameTheNodeOrItsOutput) {
  Node node{"conv1", "Conv", "", {"x"}, {"y"}, {}};
  EXPECT_EQ(node.title(), "node 'conv1' (Conv)");
  node.name.clear();
  node.domain = "com.example";
  EXPECT_EQ(node.title(), "node 'y' (com.example.Conv)");
  node.outputs.clear();
  EXPECT_EQ(node.title(), "node '' (com.example.Conv)");
}

TEST(Node, FindsAttributesByName) {
  Node node;
  node.attributes.resize(2);
  node.attributes[1].name = "axis";
  EXPECT_EQ(node.find("axis"), &node.attributes[1]);
  EXPECT_EQ(node.find("axes"), nullptr);
}

}  // namespace
}  // namespace atcav::onnx
