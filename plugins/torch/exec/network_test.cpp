#include "plugins/torch/exec/network.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>

#include "plugins/torch/import/plan.h"
#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

at::Tensor run(const Network& network, const at::Tensor& x) {
  return run_plan(network, make_plan(network, {network.slots.at("y")}), input_values(network, {x}), {})
      .front();
}

TEST(BuildNetwork, ComputesConstantsOnce) {
  const auto graph = onnx_model(
      {value("x", {1, 4})}, {longs("shape", {2}, {2, 2}), longs("one", {1}, {1})},
      {node("Mul", {"shape", "one"}, {"same"}), node("Reshape", {"x", "same"}, {"y"})}, {value("y", {2, 2})});
  const Network network = build_network(graph);
  ASSERT_EQ(network.steps.size(), 1U);
  EXPECT_EQ(network.steps[0].node.op, "Reshape");
  EXPECT_TRUE(network.is_constant(network.slots.at("same")));
  EXPECT_EQ(run(network, at::ones({1, 4})).sizes().vec(), (Sizes{2, 2}));
}

// IR 3: weights are listed as graph inputs too, and are not inputs of the network.
TEST(BuildNetwork, WeightsAreNotInputs) {
  const auto graph = onnx_model({value("x", {1}), value("w", {1})}, {floats("w", {1}, {3})},
                                {node("Mul", {"x", "w"}, {"y"})}, {value("y", {1})});
  const Network network = build_network(graph);
  ASSERT_EQ(network.inputs.size(), 1U);
  EXPECT_EQ(network.inputs[0].value.name, "x");
  EXPECT_EQ(run(network, at::full({1}, 2.0)).item<float>(), 6);
}

onnx::Attribute branch(const char* name, const char* op) {
  onnx::Attribute attribute;
  attribute.name = name;
  attribute.kind = onnx::Attribute::Kind::kGraph;
  attribute.graph = {
      {name, {node(op, {"x"}, {std::string(name) + "_y"})}, {}, {}, {value(std::string(name) + "_y", {1})}}};
  return attribute;
}

TEST(BuildNetwork, RefusesNodesWhoseSlotsDoNotFit) {
  const auto built = [](onnx::Node bad) {
    return [bad] {
      build_network(onnx_model({value("x", {1})}, {}, {bad, node("Relu", {"x"}, {"y"})}, {value("y", {1})}));
    };
  };
  const auto branches = std::vector{branch("then_branch", "Neg"), branch("else_branch", "Exp")};
  for (const onnx::Node& bad :
       {node("If", {""}, {"z"}, branches), node("MatMul", {"", "x"}, {"z"}), node("Conv", {"", ""}, {"z"}),
        node("BatchNormalization", {"", "", "", "", ""}, {"z"})})
    EXPECT_THAT(built(bad),
                testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("input 0 is missing")));
  for (const onnx::Node& bad :
       {node("QuantizeLinear", {"x", "x"}, {}), node("Conv", {"x", "x"}, {}), node("Gemm", {"x", "x"}, {}),
        node("BatchNormalization", {"x", "x", "x", "x", "x"}, {})})
    EXPECT_THAT(built(bad), testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("has no outputs")));
}

TEST(BuildNetwork, NodesOfOtherDomainsWithoutOutputsAreLeftOut) {
  onnx::Node print = node("ConvPrint", {"x", "x", "x"}, {});
  print.domain = "own";
  const auto graph =
      onnx_model({value("x", {1})}, {}, {print, node("Relu", {"x"}, {"y"})}, {value("y", {1})});
  EXPECT_EQ(build_network(graph).steps.size(), 1U);
}

TEST(FuseNormalisation, LeavesWeightsThatDoNotFit) {
  for (const onnx::Tensor& weight : {floats("w", {}, {1}), noise("w", {2, 3}), noise("w", {3, 3, 1, 1})}) {
    const auto graph = onnx_model(
        {value("x", {1, 3, 2, 2})},
        {weight, noise("s", {2}), noise("b", {2}), noise("m", {2}), noise("v", {2})},
        {node("Conv", {"x", "w"}, {"c"}), node("BatchNormalization", {"c", "s", "b", "m", "v"}, {"y"})},
        {value("y", {1, 2, 2, 2})});
    Network network = build_network(graph);
    fuse_normalisation(network);
    EXPECT_TRUE(network.fusions.empty());
  }
}

// The condition is not known, and each If sees all names around it.
TEST(BuildNetwork, ManyBranchesTakeLittleTime) {
  onnx::Model graph = onnx_model({value("x", {1})}, {}, {}, {value("x", {1})});
  for (int i = 0; i < 20'000; ++i) {
    graph.graph.nodes.push_back(node("If", {"x"}, {fmt::format("y{}", i)},
                                     {branch("then_branch", "Neg"), branch("else_branch", "Exp")}));
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(build_network(graph).steps.size(), 20'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(BuildNetwork, ChoosesTheBranchOfAConstantIf) {
  const auto condition = tensor<std::uint8_t>("c", onnx::Type::kBoolean, {}, {0});
  const auto graph =
      onnx_model({value("x", {1})}, {condition},
                 {node("If", {"c"}, {"y"}, {branch("then_branch", "Neg"), branch("else_branch", "Exp")})},
                 {value("y", {1})});
  const Network network = build_network(graph);
  ASSERT_EQ(network.steps.size(), 1U);
  EXPECT_EQ(network.steps[0].node.op, "Exp");
  EXPECT_EQ(run(network, at::zeros({1})).item<float>(), 1);
}

TEST(BuildNetwork, OtherIfsDecideWhenTheyRun) {
  const auto graph =
      onnx_model({value("x", {1})}, {floats("zero", {1}, {0})},
                 {node("Greater", {"x", "zero"}, {"c"}),
                  node("If", {"c"}, {"y"}, {branch("then_branch", "Neg"), branch("else_branch", "Abs")})},
                 {value("y", {1})});
  const Network network = build_network(graph);
  EXPECT_EQ(run(network, at::full({1}, 2.0)).item<float>(), -2);
  EXPECT_EQ(run(network, at::full({1}, -3.0)).item<float>(), 3);
}

TEST(BuildNetwork, AnIfWithoutBranchesIsNamed) {
  const auto graph =
      onnx_model({value("x", {1})}, {}, {node("If", {"x"}, {"y"}, {}, "choice")}, {value("y", {1})});
  EXPECT_THAT([&] { build_network(graph); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("node 'choice' (If)")));
}

TEST(MoveConstants, ConvolutionWeightsBecomeChannelsLast) {
  const auto graph = onnx_model({value("x", {1, 2, 5, 5})}, {noise("w", {3, 2, 3, 3})},
                                {node("Conv", {"x", "w"}, {"y"})}, {value("y", {})});
  Network network = build_network(graph);
  const at::Tensor before = run(network, at::ones({1, 2, 5, 5}));
  move_constants(network, at::kCPU, at::kFloat);
  const at::Tensor& weight = network.constants[static_cast<std::size_t>(network.slots.at("w"))];
  EXPECT_TRUE(weight.is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(at::allclose(run(network, at::ones({1, 2, 5, 5})), before, 1e-5, 1e-6));
}

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

at::Tensor run_image(const Network& network, const char* target) {
  const at::Tensor x = at::arange(32, at::kFloat).reshape({1, 2, 4, 4}) / 32;
  return run_plan(network, make_plan(network, {network.slots.at(target)}), input_values(network, {x}), {})
      .front();
}

TEST(FuseNormalisation, GivesTheSameWithOneStepLess) {
  Network network = conv_and_norm(false);
  const at::Tensor expected = run_image(network, "y");
  fuse_normalisation(network);
  ASSERT_EQ(network.fusions.size(), 1U);
  EXPECT_EQ(make_plan(network, {network.slots.at("y")}).steps.size(), 2U);
  EXPECT_TRUE(at::allclose(run_image(network, "y"), expected, 1e-5, 1e-6));
}

TEST(FuseNormalisation, LeavesTheConvolutionWhereItIsAskedFor) {
  Network network = conv_and_norm(false);
  const at::Tensor expected = run_image(network, "between");
  fuse_normalisation(network);
  EXPECT_TRUE(at::equal(run_image(network, "between"), expected));
  EXPECT_EQ(make_plan(network, {network.slots.at("between"), network.slots.at("y")}).steps.size(), 3U);
}

TEST(FuseNormalisation, NeedsTheNormalisationToBeTheOnlyReader) {
  Network network = conv_and_norm(true);
  fuse_normalisation(network);
  EXPECT_TRUE(network.fusions.empty());
}

// Types that LibTorch holds in wider ones are known where they come from: a weight, an input, a cast.
TEST(BuildNetwork, NarrowTypesStayNarrow) {
  const at::Tensor x = at::tensor({-20.0F, 0.3F, 5.6F, 20.0F});
  const auto through = [&](onnx::Tensor like, std::vector<onnx::Node> nodes) {
    return run(build_network(onnx_model({value("x", {4})}, {std::move(like), floats("one", {}, {1})},
                                        std::move(nodes), {value("y", {4})}, 21)),
               x);
  };
  const auto int4 = tensor<std::int8_t>("z", onnx::Type::kInt4, {}, {0});
  const auto fp8 = tensor<std::uint8_t>("z", onnx::Type::kFloat8E4M3FN, {}, {0});
  const auto quantised = std::vector{node("QuantizeLinear", {"x", "one", "z"}, {"y"})};
  EXPECT_TRUE(at::equal(through(int4, quantised), at::tensor({-8, 0, 6, 7}, at::kChar)));
  EXPECT_TRUE(at::equal(through(fp8, quantised), at::tensor({-20.0F, 0.3125F, 5.5F, 20.0F})));
  const auto cast =
      std::vector{node("Reshape", {"z", "shape"}, {"moved"}), node("CastLike", {"x", "moved"}, {"y"})};
  const auto like = [&](const onnx::Tensor& z) {
    return run(build_network(
                   onnx_model({value("x", {4})}, {z, longs("shape", {1}, {1})}, cast, {value("y", {4})}, 21)),
               x);
  };
  EXPECT_TRUE(at::equal(like(int4), at::tensor({-4, 0, 5, 4}, at::kChar)));
  EXPECT_TRUE(at::equal(like(tensor<std::uint8_t>("z", onnx::Type::kBfloat16, {}, {0, 0})),
                        at::tensor({-20.0F, 0.30078125F, 5.59375F, 20.0F})));
}

TEST(BuildNetwork, BitsOfUnsignedNumbers) {
  const auto graph = onnx_model({value("x", {2}, onnx::Type::kUint16)}, {},
                                {node("BitwiseNot", {"x"}, {"y"})}, {value("y", {2})}, 18);
  EXPECT_TRUE(at::equal(run(build_network(graph), at::tensor({0, 62501}, at::kInt)),
                        at::tensor({65535, 3034}, at::kInt)));
}

}  // namespace
}  // namespace atcav::plugin
