#include "plugins/torch/onnx/scopes.h"

#include <gtest/gtest.h>

namespace atcav::onnx {
namespace {

std::vector<std::string> modules(const std::vector<Scope>& scopes) {
  std::vector<std::string> names;
  for (const Scope& scope : scopes) names.push_back(scope.module);
  return names;
}

using Names = std::vector<std::string>;

TEST(MetadataScopes, LeavesOutTheNetworkAndTheOp) {
  const auto scopes =
      metadata_scopes("['', 'layer1', 'layer1.0', 'relu_1']",
                      "['net.ResNet', 'torch.nn.Sequential', 'net.Block', 'aten.relu.default']");
  EXPECT_EQ(modules(scopes), (Names{"layer1", "layer1.0"}));
  EXPECT_EQ(scopes[0].type, "Sequential");
  EXPECT_EQ(scopes[1].type, "Block");
}

TEST(MetadataScopes, NodesOfNoModuleHaveNone) {
  EXPECT_TRUE(metadata_scopes("", "").empty());
  EXPECT_TRUE(metadata_scopes("['', 'view']", "['net.ResNet', 'aten.view']").empty());
  EXPECT_TRUE(metadata_scopes("['_empty_nn_module_stack_from_metadata_hook', 'sym_size']", "").empty());
}

TEST(MetadataScopes, DamagedTextIsNoTrouble) {
  EXPECT_EQ(modules(metadata_scopes("['', 'a', 'b", "[")), (Names{"a"}));
  EXPECT_EQ(modules(metadata_scopes(R"(["", "it's", 'x\'y', "op"])", "")), (Names{"it's", "x'y"}));
}

TEST(NameScopes, NamesAreRelativeToTheOneBefore) {
  EXPECT_EQ(modules(name_scopes("/layer1/layer1.0/conv1/Conv")),
            (Names{"layer1", "layer1.0", "layer1.0.conv1"}));
  EXPECT_EQ(modules(name_scopes("/encoder/layer.0/attention/MatMul")),
            (Names{"encoder", "encoder.layer.0", "encoder.layer.0.attention"}));
  EXPECT_EQ(modules(name_scopes("/features/features.1/features.1.0/block/block.0/Conv")),
            (Names{"features", "features.1", "features.1.0", "features.1.0.block", "features.1.0.block.0"}));
}

TEST(NameScopes, OtherNamesHaveNone) {
  EXPECT_TRUE(name_scopes("Conv_7").empty());
  EXPECT_TRUE(name_scopes("/Add").empty());
  EXPECT_TRUE(name_scopes("").empty());
  EXPECT_TRUE(name_scopes("//Add").empty());
  std::string long_name;
  for (int i = 0; i < 100'000; ++i) long_name += "/a";
  EXPECT_TRUE(name_scopes(long_name).empty());
}

}  // namespace
}  // namespace atcav::onnx
