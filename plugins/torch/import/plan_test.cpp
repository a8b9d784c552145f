#include "plugins/torch/import/plan.h"

#include <gmock/gmock.h>

#include <future>

#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

Network chain() {
  return build_network(
      onnx_model({value("x", {2})}, {},
                 {node("Neg", {"x"}, {"a"}), node("Exp", {"a"}, {"b"}), node("Add", {"a", "b"}, {"y"}),
                  node("TfIdfVectorizer", {"b"}, {"words"}, {}, "label")},
                 {value("y", {2}), value("words", {2})}));
}

TEST(MakePlan, TakesOnlyWhatLeadsToTheTargets) {
  const Network network = chain();
  EXPECT_EQ(make_plan(network, {network.slots.at("b")}).steps.size(), 2U);
  EXPECT_EQ(make_plan(network, {network.slots.at("y")}).steps.size(), 3U);
  EXPECT_THAT(
      [&] { make_plan(network, {network.slots.at("words")}); },
      testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("node 'label' (TfIdfVectorizer)")));
}

TEST(MakePlan, ValuesDieAtTheirLastReader) {
  const Network network = chain();
  const Plan plan = make_plan(network, {network.slots.at("y")});
  EXPECT_EQ(plan.steps[0].dying, (std::vector<Slot>{network.slots.at("x")}));
  EXPECT_TRUE(plan.steps[1].dying.empty());
  EXPECT_EQ(plan.steps[2].dying.size(), 2U);
}

TEST(RunPlan, GivesSeveralTargetsAndShowsThemOnTheWay) {
  const Network network = chain();
  const std::vector<Slot> targets = {network.slots.at("a"), network.slots.at("y")};
  std::vector<Slot> seen;
  const Tensors values =
      run_plan(network, make_plan(network, targets), input_values(network, {at::zeros({2})}), {},
               [&](Slot slot, at::Tensor&) { seen.push_back(slot); });
  EXPECT_EQ(seen, targets);
  EXPECT_EQ(values[0][0].item<float>(), 0);
  EXPECT_EQ(values[1][0].item<float>(), 1);
}

Network one_node(const onnx::Node& node) {
  return build_network(onnx_model({value("x", {2, 3})}, {}, {node}, {value("y", {})}));
}

TEST(RunStep, AtensErrorsNameNodeAndShapes) {
  const Network network = one_node(node("MatMul", {"x", "x"}, {"y"}, {}, "product"));
  Values values(network.names.size());
  values[0] = at::ones({2, 3});
  EXPECT_THAT(
      [&] { run_step(network, network.steps[0], values, {}, {}); },
      ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("node 'product' (MatMul)"), HasSubstr("[2, 3]"))));
}

TEST(RunStep, WantOfMemoryIsNotTheNetworksFault) {
  const OpEntry ops[] = {
      {"plain", [](const Call&) -> Tensors { throw std::bad_alloc(); }},
      {"oneDNN", [](const Call&) -> Tensors { throw std::future_error(std::future_errc::broken_promise); }}};
  for (const OpEntry& op : ops) {
    Network network = one_node(node("Neg", {"x"}, {"y"}));
    network.steps[0].op = &op;
    Values values(network.names.size());
    values[0] = at::ones({2, 3});
    EXPECT_THROW(run_step(network, network.steps[0], values, {}, {}), std::bad_alloc) << op.name;
  }
}

TEST(RunStep, UnsupportedOpsSaySo) {
  const Network network = one_node(node("StringNormalizer", {"x"}, {"y"}));
  Values values(network.names.size());
  EXPECT_THAT([&] { run_step(network, network.steps[0], values, {}, {}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("not supported")));
}

TEST(RunStep, ReusesMemoryOnlyOfWhatDiesHere) {
  const Network network = one_node(node("Relu", {"x"}, {"y"}));
  const auto run = [&](const std::vector<Slot>& dying, at::Tensor& kept) {
    Values values(network.names.size());
    values[0] = at::full({2}, -1.0);
    const void* memory = values[0].data_ptr();
    if (dying.empty()) kept = values[0];
    run_step(network, network.steps[0], values, dying, {});
    return values[1].data_ptr() == memory;
  };
  at::Tensor kept;
  EXPECT_TRUE(run({0}, kept));
  EXPECT_FALSE(run({}, kept));
  EXPECT_EQ(kept[0].item<float>(), -1);
}

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
