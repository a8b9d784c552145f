#include "plugins/torch/exec/control.h"

#include <gmock/gmock.h>

#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_support::floats;
using testing_support::integer;
using testing_support::longs;
using testing_support::node;
using testing_support::onnx_model;
using testing_support::tensor;
using testing_support::value;

onnx::Attribute body(std::vector<onnx::Node> nodes, std::vector<std::string> inputs,
                     std::vector<std::string> outputs) {
  onnx::Attribute attribute;
  attribute.name = "body";
  attribute.kind = onnx::Attribute::Kind::kGraph;
  onnx::Graph graph{"body", std::move(nodes), {}, {}, {}};
  for (const std::string& name : inputs) graph.inputs.push_back(value(name, {}));
  for (const std::string& name : outputs) graph.outputs.push_back(value(name, {}));
  attribute.graph = {graph};
  return attribute;
}

at::Tensor y_of(const onnx::Model& model, const at::Tensor& x, const std::string& output = "y") {
  const Network network = build_network(model);
  const Plan plan = make_plan(network, {network.slots.at(output)});
  return run_plan(network, plan, input_values(network, {x}), {}).front();
}

// h ← 2·h, three times; what h was is collected.
onnx::Model doubling(std::int64_t rounds) {
  return onnx_model({value("x", {2})}, {longs("n", {}, {rounds}), floats("two", {}, {2})},
                    {node("Loop", {"n", "", "x"}, {"y", "seen"},
                          {body({node("Identity", {"go"}, {"go_on"}), node("Mul", {"h", "two"}, {"h2"}),
                                 node("Identity", {"h"}, {"kept"})},
                                {"i", "go", "h"}, {"go_on", "h2", "kept"})})},
                    {value("y", {2}), value("seen", {})});
}

TEST(Loop, CarriesAndCollects) {
  const at::Tensor x = at::tensor({1.0F, 3.0F});
  testing_support::expect_values(y_of(doubling(3), x), {2}, {8, 24});
  testing_support::expect_values(y_of(doubling(3), x, "seen"), {3, 2}, {1, 3, 2, 6, 4, 12});
  testing_support::expect_values(y_of(doubling(0), x), {2}, {1, 3});
}

TEST(Loop, GradientsPassThrough) {
  const Network network = build_network(doubling(3));
  const Plan plan = make_plan(network, {network.slots.at("y")});
  const at::Tensor x = at::tensor({1.0F, 3.0F}).set_requires_grad(true);
  const at::Tensor y = run_plan(network, plan, input_values(network, {x}), {}).front();
  testing_support::expect_values(torch::autograd::grad({y.sum()}, {x})[0], {2}, {8, 8});
}

TEST(Loop, EndsSomeTime) {
  EXPECT_THAT([&] { y_of(doubling(500'000), at::zeros({2})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("steps of all loops in one pass is above 500000")));
}

// A loop of 99,999 rounds in one of 99,999: few rounds each, but 10^10 together.
TEST(Loop, LoopsInLoopsShareOneBudget) {
  const auto model = onnx_model(
      {value("x", {2})}, {longs("n", {}, {99'999})},
      {node("Loop", {"n", "", "x"}, {"y"},
            {body({node("Identity", {"go"}, {"on"}),
                   node("Loop", {"n", "", "h"}, {"h2"},
                        {body({node("Identity", {"go2"}, {"on2"})}, {"j", "go2", "g"}, {"on2", "g"})})},
                  {"i", "go", "h"}, {"on", "h2"})})},
      {value("y", {2})});
  EXPECT_THAT([&] { y_of(model, at::zeros({2})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("steps of all loops")));
}

// 60,000 rounds are few, but not of a million numbers each, nor of a recurrent layer.
TEST(Loop, LargeStepsCountAsSeveral) {
  const auto looped = [](const onnx::Node& inner, std::vector<std::int64_t> shape) {
    return onnx_model(
        {value("x", shape)},
        {longs("n", {}, {60'000}), testing_support::noise("w", {1, 4, 2}),
         testing_support::noise("r", {1, 4, 1})},
        {node("Loop", {"n", "", "x"}, {"y"},
              {body({node("Identity", {"go"}, {"on"}), inner}, {"i", "go", "h"}, {"on", "h"})})},
        {value("y", {})});
  };
  const auto model = looped(node("Neg", {"h"}, {"t"}), {1'000'000});
  EXPECT_THAT([&] { y_of(model, at::zeros({1'000'000})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("steps of all loops")));
  const auto recurrent = looped(node("LSTM", {"h", "w", "r"}, {"t"}), {3, 1, 2});
  EXPECT_THAT(
      [&] {
        y_of(recurrent, at::zeros({3, 1, 2}));
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("steps of all loops")));
}

TEST(Loop, ItsBodyHasWhatTheNodePromises) {
  onnx::Model model = doubling(3);
  model.graph.nodes[0].outputs = {"y", "seen", "more"};
  EXPECT_THAT([&] { y_of(model, at::zeros({2})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("(Loop): its body has 3 outputs, must have 4")));
  model.graph.nodes[0].inputs = {"n", "", "x", "x"};
  EXPECT_THAT([&] { y_of(model, at::zeros({2})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("(Loop): its body has 3 inputs, must have 4")));
}

TEST(Loop, NodesOfItsBodyAreCheckedToo) {
  onnx::Model model = doubling(3);
  model.graph.nodes[0].attributes[0].graph[0].nodes.push_back(node("Identity", {"h"}, {}));
  EXPECT_THAT([&] { y_of(model, at::zeros({2})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("(Identity): has no outputs")));
}

TEST(Loop, GrowingASequenceIsBounded) {
  const auto model =
      onnx_model({value("x", {2})}, {longs("n", {}, {60'000})},
                 {node("SequenceConstruct", {"x"}, {"s"}),
                  node("Loop", {"n", "", "s"}, {"t"},
                       {body({node("Identity", {"go"}, {"on"}), node("SequenceInsert", {"h", "x"}, {"h2"})},
                             {"i", "go", "h"}, {"on", "h2"})}),
                  node("SequenceAt", {"t", "n"}, {"y"})},
                 {value("y", {2})});
  EXPECT_THAT([&] { y_of(model, at::zeros({2})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("sequences are above")));
}

onnx::Model scanning(std::vector<std::string> outputs, std::int64_t scans) {
  return onnx_model({value("x", {3, 1})}, {floats("zero", {1}, {0})},
                    {node("Scan", {"zero", "x"}, std::move(outputs),
                          {integer("num_scan_inputs", scans),
                           body({node("Add", {"sum", "next"}, {"sum2"})}, {"sum", "next"}, {"sum2"})})},
                    {value("y", {1})});
}

TEST(Scan, ItsBodyHasWhatTheNodePromises) {
  testing_support::expect_values(y_of(scanning({"y"}, 1), at::ones({3, 1})), {1}, {3});
  EXPECT_THAT(
      [&] {
        y_of(scanning({"y", "more"}, 1), at::ones({3, 1}));
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("(Scan): its body has 1 outputs, must have 2")));
  for (const std::int64_t scans : {-1, 0, 3}) {
    EXPECT_THAT(
        [&] {
          y_of(scanning({"y"}, scans), at::ones({3, 1}));
        },
        ThrowsMessage<std::runtime_error>(HasSubstr("must be from 1 to 2")));
  }
}

TEST(Scan, SumsAlongAnAxisBackwards) {
  onnx::Attribute directions = testing_support::integers("scan_input_directions", {1});
  const auto model =
      onnx_model({value("x", {3, 1})}, {floats("zero", {1}, {0})},
                 {node("Scan", {"zero", "x"}, {"total", "y"},
                       {integer("num_scan_inputs", 1), directions,
                        body({node("Add", {"sum", "next"}, {"sum2"}), node("Identity", {"sum2"}, {"out"})},
                             {"sum", "next"}, {"sum2", "out"})})},
                 {value("total", {1}), value("y", {3, 1})});
  testing_support::expect_values(y_of(model, at::tensor({1.0F, 2.0F, 4.0F}).reshape({3, 1})), {3, 1},
                                 {4, 6, 7});
}

TEST(Sequences, AreBuiltChangedAndJoined) {
  const auto model = onnx_model(
      {value("x", {2})}, {longs("first", {}, {0}), longs("last", {}, {-1})},
      {node("Neg", {"x"}, {"m"}), node("SequenceConstruct", {"x", "m"}, {"s"}),
       node("SequenceInsert", {"s", "m", "first"}, {"t"}), node("SequenceErase", {"t", "last"}, {"u"}),
       node("ConcatFromSequence", {"u"}, {"y"}, {integer("axis", 0)}), node("SequenceLength", {"t"}, {"n"})},
      {value("y", {4}), value("n", {})});
  testing_support::expect_values(y_of(model, at::tensor({1.0F, 2.0F})), {4}, {-1, -2, 1, 2});
  EXPECT_EQ(y_of(model, at::tensor({1.0F, 2.0F}), "n").item<std::int64_t>(), 3);
}

TEST(Sequences, ElementsThatAreNotThereAreNamed) {
  const auto model =
      onnx_model({value("x", {2})}, {longs("at", {}, {5})},
                 {node("SplitToSequence", {"x"}, {"s"}), node("SequenceAt", {"s", "at"}, {"y"}, {}, "pick")},
                 {value("y", {1})});
  EXPECT_THAT([&] { y_of(model, at::zeros({2})); },
              ThrowsMessage<std::runtime_error>(
                  HasSubstr("node 'pick' (SequenceAt): position is 5, but the sequence has 2")));
}

}  // namespace
}  // namespace atcav::plugin
