#include "plugins/torch/fusion.h"

#include <gtest/gtest.h>

#include "plugins/torch/plan.h"
#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

Network conv_and_norm(bool second_reader) {
  std::vector<onnx::Node> nodes = {
      node("Conv", {"x", "w", "b"}, {"between"}),
      node("BatchNormalization", {"between", "s", "h", "m", "v"}, {"normed"}),
      node(second_reader ? "Add" : "Relu",
           second_reader ? std::vector<std::string>{"normed", "between"} : std::vector<std::string>{"normed"},
           {"y"})};
  std::vector<float> variance = {0.5F, 1, 2};
  return build_network(onnx_model({value("x", {1, 2, 4, 4})},
                                  {noise("w", {3, 2, 3, 3}), noise("b", {3}, 1), noise("s", {3}, 2),
                                   noise("h", {3}, 3), noise("m", {3}, 4), floats("v", {3}, variance)},
                                  nodes, {value("y", {})}));
}

at::Tensor run(const Network& network, const char* target) {
  const at::Tensor x = at::arange(32, at::kFloat).reshape({1, 2, 4, 4}) / 32;
  return run_plan(network, make_plan(network, {network.slots.at(target)}), input_values(network, {x}), {})
      .front();
}

TEST(FuseNormalisation, GivesTheSameWithOneStepLess) {
  Network network = conv_and_norm(false);
  const at::Tensor expected = run(network, "y");
  fuse_normalisation(network);
  ASSERT_EQ(network.fusions.size(), 1U);
  EXPECT_EQ(make_plan(network, {network.slots.at("y")}).steps.size(), 2U);
  EXPECT_TRUE(at::allclose(run(network, "y"), expected, 1e-5, 1e-6));
}

TEST(FuseNormalisation, LeavesTheConvolutionWhereItIsAskedFor) {
  Network network = conv_and_norm(false);
  const at::Tensor expected = run(network, "between");
  fuse_normalisation(network);
  EXPECT_TRUE(at::equal(run(network, "between"), expected));
  EXPECT_EQ(make_plan(network, {network.slots.at("between"), network.slots.at("y")}).steps.size(), 3U);
}

TEST(FuseNormalisation, NeedsTheNormalisationToBeTheOnlyReader) {
  Network network = conv_and_norm(true);
  fuse_normalisation(network);
  EXPECT_TRUE(network.fusions.empty());
}

}  // namespace
}  // namespace atcav::plugin
