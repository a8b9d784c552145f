#include "plugins/torch/plan.h"

#include <gmock/gmock.h>

#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

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

}  // namespace
}  // namespace atcav::plugin
