#include "plugins/torch/import/fuse_relu.h"

#include <gtest/gtest.h>

#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

// A block of a ResNet: two convolutions on one side, one on the other.
Network block(bool fuses) {
  const auto pads = [] { return integers("pads", {1, 1, 1, 1}); };
  Network network = build_network(onnx_model(
      {value("x", {2, 3, 6, 6})},
      {noise("w1", {4, 3, 3, 3}), noise("b1", {4}), noise("w2", {5, 4, 3, 3}, 1), noise("b2", {5}, 2),
       noise("w3", {5, 3, 1, 1}, 3), noise("b3", {5}, 4)},
      {node("Conv", {"x", "w1", "b1"}, {"a"}, {pads()}), node("Relu", {"a"}, {"ra"}),
       node("Conv", {"x", "w3", "b3"}, {"side"}), node("Conv", {"ra", "w2", "b2"}, {"b"}, {pads()}),
       node("Add", {"b", "side"}, {"sum"}), node("Relu", {"sum"}, {"y"})},
      {value("y", {2, 5, 6, 6})}));
  network.fuses_relu = fuses;
  return network;
}

Plan plan_to(const Network& network, const std::vector<std::string>& names) {
  std::vector<Slot> targets;
  for (const std::string& name : names) targets.push_back(network.slots.at(name));
  return make_plan(network, targets);
}

TEST(FuseRelu, OneStepStandsForConvolutionSumAndRelu) {
  EXPECT_EQ(plan_to(block(false), {"y"}).steps.size(), 6U);
  EXPECT_EQ(plan_to(block(true), {"y"}).steps.size(), 3U);
}

TEST(FuseRelu, WhatIsAskedForStaysVisible) {
  EXPECT_EQ(plan_to(block(true), {"sum", "y"}).steps.size(), 5U);
  EXPECT_EQ(plan_to(block(true), {"a", "y"}).steps.size(), 4U);
  const Network network = block(true);
  const Plan plan = make_plan(network, {network.slots.at("y")}, network.slots.at("sum"));
  EXPECT_EQ(plan.steps.size(), 1U);
}

TEST(FuseRelu, ValuesAndGradientsAreThoseOfTheSteps) {
  std::vector<Tensors> found;
  for (const bool fuses : {false, true}) {
    const Network network = block(fuses);
    const at::Tensor x = at::sin(at::arange(216, at::kFloat)).reshape({2, 3, 6, 6}).set_requires_grad(true);
    const Tensors values =
        run_plan(network, plan_to(network, {"ra", "y"}), input_values(network, {x}), {2, 2});
    const Tensors slopes = torch::autograd::grad({values[1].square().sum()}, {x, values[0]});
    found.push_back({values[0], values[1], slopes[0], slopes[1]});
    const at::NoGradGuard no_grad;
    const Tensors plain =
        run_plan(network, plan_to(network, {"y"}), input_values(network, {x.detach()}), {2, 2});
    EXPECT_TRUE(at::equal(plain[0], values[1]));
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(at::allclose(found[0][i], found[1][i])) << i;
}

}  // namespace
}  // namespace atcav::plugin
