#include "plugins/torch/onnx/functions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/support/onnx_model.h"

namespace atcav::onnx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_support::node;
using testing_support::onnx_model;
using testing_support::value;

Node call(const std::string& op, std::vector<std::string> inputs, std::vector<std::string> outputs,
          const std::string& name) {
  Node made = node(op, std::move(inputs), std::move(outputs), {}, name);
  made.domain = "own";
  return made;
}

// twice(a) = relu(a) + relu(a), called in a chain.
Model model() {
  Model model = onnx_model({value("x", {1, 2})}, {},
                           {call("twice", {"x"}, {"h"}, "first"), call("twice", {"h"}, {"y"}, "second")},
                           {value("y", {1, 2})});
  model.graph.nodes[1].scopes = {{"block", "Block"}};
  Function twice{"twice", "own", {"a"},
                 {"b"},   {},    {node("Relu", {"a"}, {"r"}), node("Add", {"r", "r"}, {"b"})}};
  model.functions = {twice};
  return model;
}

TEST(Inlined, WritesTheBodyOutWithNamesOfItsOwn) {
  const Graph graph = inlined(model());
  ASSERT_EQ(graph.nodes.size(), 4U);
  EXPECT_THAT(graph.nodes[0].inputs, ElementsAre("x"));
  EXPECT_THAT(graph.nodes[0].outputs, ElementsAre("first/r"));
  EXPECT_THAT(graph.nodes[1].outputs, ElementsAre("h"));
  EXPECT_THAT(graph.nodes[2].outputs, ElementsAre("second/r"));
  EXPECT_THAT(graph.nodes[3].inputs, ElementsAre("second/r", "second/r"));
  EXPECT_EQ(graph.nodes[3].scopes.front().module, "block") << "of the caller";
}

TEST(Inlined, AttributesComeFromTheCallerOrTheDefaults) {
  Model given = model();
  Attribute reference = testing_support::real("alpha", 0);
  reference.reference = "slope";
  given.functions[0].nodes[0] = node("LeakyRelu", {"a"}, {"r"}, {reference});
  EXPECT_TRUE(inlined(given).nodes[0].attributes.empty()) << "neither has it";
  given.functions[0].defaults = {testing_support::real("slope", 0.5F)};
  given.graph.nodes[1].attributes = {testing_support::real("slope", 0.25F)};
  const Graph graph = inlined(given);
  EXPECT_EQ(graph.nodes[0].find("alpha")->real, 0.5F);
  EXPECT_EQ(graph.nodes[2].find("alpha")->real, 0.25F);
}

// f = g(g(a)) without names of nodes: both calls of g are inside the one of f that gives 'y'.
TEST(Inlined, CallsWithoutNamesHaveTensorsOfTheirOwn) {
  Model given = onnx_model({value("x", {1, 2})}, {}, {call("f", {"x"}, {"y"}, "")}, {value("y", {1, 2})});
  given.functions = {
      {"f", "own", {"a"}, {"c"}, {}, {call("g", {"a"}, {"b"}, ""), call("g", {"b"}, {"c"}, "")}},
      {"g", "own", {"a"}, {"c"}, {}, {node("Relu", {"a"}, {"b"}), node("Neg", {"b"}, {"c"})}}};
  const Graph graph = inlined(given);
  ASSERT_EQ(graph.nodes.size(), 4U);
  EXPECT_THAT(graph.nodes[0].outputs, ElementsAre("y/b/b"));
  EXPECT_THAT(graph.nodes[2].outputs, ElementsAre("y/c/b"));
  EXPECT_THAT(graph.nodes[3].outputs, ElementsAre("y"));
}

TEST(Inlined, AnInputCanBeTheOutput) {
  Model given = model();
  given.functions[0] = {"twice", "own", {"a"}, {"a"}, {}, {}};
  const Graph graph = inlined(given);
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].op, "Identity");
  EXPECT_THAT(graph.nodes[1].outputs, ElementsAre("y"));
}

// f0 calls f1 `calls` times, f1 calls f2, and so on; the last one has these nodes.
Model nested(std::size_t depth, std::size_t calls, const std::vector<std::string>& outputs,
             std::vector<Node> last) {
  Model model = onnx_model({value("x", {1, 2})}, {}, {call("f0", {"x"}, {"y"}, "")}, {value("y", {1, 2})});
  for (std::size_t i = 0; i < depth; ++i) {
    Function function{fmt::format("f{}", i), "own", {"a"}, outputs, {}, {}};
    for (std::size_t k = 0; k < calls && i + 1 < depth; ++k)
      function.nodes.push_back(call(fmt::format("f{}", i + 1), {"a"}, {fmt::format("t{}", k)}, ""));
    if (i + 1 == depth) function.nodes = last;
    model.functions.push_back(std::move(function));
  }
  return model;
}

TEST(Inlined, DepthIsBounded) {
  EXPECT_EQ(inlined(nested(60, 1, {"t0"}, {node("Relu", {"a"}, {"t0"})})).nodes.size(), 1U);
  for (const std::size_t depth : {65U, 20'000U})
    EXPECT_THAT([&] { inlined(nested(depth, 1, {"t0"}, {node("Relu", {"a"}, {"t0"})})); },
                ThrowsMessage<std::runtime_error>("[onnx] functions call each other more than 64 deep"));
}

TEST(Inlined, TreesOfFunctionsAreBounded) {
  const char* why = "nodes with all functions written out is above 250000";
  EXPECT_THAT([&] { inlined(nested(40, 2, {"t0"}, {})); }, ThrowsMessage<std::runtime_error>(HasSubstr(why)))
      << "leaves without nodes";
  EXPECT_THAT([&] { inlined(nested(40, 2, {"a"}, {})); }, ThrowsMessage<std::runtime_error>(HasSubstr(why)))
      << "leaves that give what they are given";
  EXPECT_THAT([&] { inlined(nested(40, 2, {"t0"}, {node("Relu", {"a"}, {"t0"})})); },
              ThrowsMessage<std::runtime_error>(HasSubstr(why)));
}

TEST(Inlined, BytesOfCopiesAreBounded) {
  Node large = node("Relu", {"a"}, {"t0"});
  large.name.assign(1 << 20, 'n');
  EXPECT_THAT([&] { inlined(nested(20, 2, {"t0"}, {large})); },
              ThrowsMessage<std::runtime_error>(HasSubstr("bytes of names, written out nodes")));
}

// Each function has an If whose branch calls the next one.
TEST(Inlined, BranchesThatFunctionsNestAreBounded) {
  Model model = nested(5'000, 1, {"t0"}, {node("Relu", {"a"}, {"t0"})});
  for (std::size_t i = 0; i + 1 < model.functions.size(); ++i) {
    Attribute branch;
    branch.name = "then_branch";
    branch.kind = Attribute::Kind::kGraph;
    branch.graph = {{"body", model.functions[i].nodes, {}, {}, {value("t0", {})}}};
    model.functions[i].nodes = {node("If", {"a"}, {"t1"}, {branch})};
  }
  EXPECT_THAT([&] { inlined(model); },
              ThrowsMessage<std::runtime_error>(HasSubstr("nested more than 16 deep")));
}

TEST(Inlined, FunctionsMayNotCallThemselves) {
  Model given = model();
  given.functions[0].nodes[0] = call("twice", {"a"}, {"r"}, "inner");
  EXPECT_THAT([&] { inlined(given); }, ThrowsMessage<std::runtime_error>(HasSubstr("'twice' calls itself")));
}

}  // namespace
}  // namespace atcav::onnx
