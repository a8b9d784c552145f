#include "plugins/torch/onnx/functions.h"

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

TEST(Inlined, AnInputCanBeTheOutput) {
  Model given = model();
  given.functions[0] = {"twice", "own", {"a"}, {"a"}, {}, {}};
  const Graph graph = inlined(given);
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].op, "Identity");
  EXPECT_THAT(graph.nodes[1].outputs, ElementsAre("y"));
}

TEST(Inlined, FunctionsMayNotCallThemselves) {
  Model given = model();
  given.functions[0].nodes[0] = call("twice", {"a"}, {"r"}, "inner");
  EXPECT_THAT([&] { inlined(given); }, ThrowsMessage<std::runtime_error>(HasSubstr("'twice' calls itself")));
}

}  // namespace
}  // namespace atcav::onnx
