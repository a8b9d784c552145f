#include "plugins/torch/onnx/topology.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/support/onnx_model.h"

namespace atcav::onnx {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_support::node;
using testing_support::value;

Graph graph(std::vector<Node> nodes, const std::string& output = "y") {
  return testing_support::onnx_model({value("x", {1})}, {}, std::move(nodes), {value(output, {1})}).graph;
}

TEST(ExecutionOrder, KeepsAGoodOrderAndMendsABadOne) {
  EXPECT_EQ(execution_order(graph({node("Relu", {"x"}, {"a"}), node("Relu", {"a"}, {"y"})})),
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(execution_order(graph({node("Relu", {"a"}, {"y"}), node("Relu", {"x"}, {"a"})})),
            (std::vector<std::size_t>{1, 0}));
}

TEST(ExecutionOrder, NamesWhatIsWrong) {
  const auto fails = [](const Graph& bad, const char* why) {
    EXPECT_THAT([&] { execution_order(bad); }, ThrowsMessage<std::runtime_error>(HasSubstr(why)));
  };
  fails(graph({node("Relu", {"q"}, {"y"})}), "reads tensor 'q', which no node produces");
  fails(graph({node("Relu", {"b"}, {"a"}), node("Add", {"a", "x"}, {"b"}), node("Relu", {"x"}, {"y"})}),
        "cyclic");
  fails(graph({node("Add", {"x", "y"}, {"y"})}), "cyclic");
  fails(graph({node("Relu", {"x"}, {"y"}), node("Relu", {"x"}, {"y"})}), "exists already");
  fails(graph({node("Relu", {"x"}, {"x"})}), "exists already");
  fails(graph({node("Relu", {"x"}, {"a"})}), "graph output 'y'");
}

TEST(NamesRead, IncludesWhatSubgraphsTakeFromOutside) {
  Graph inner = graph({node("Add", {"x", "outside"}, {"y"})});
  Node branch = node("If", {"condition"}, {"z"});
  branch.attributes.resize(1);
  branch.attributes[0].graph = {inner};
  EXPECT_EQ(names_read(branch), (std::vector<std::string>{"condition", "outside"}));
}

}  // namespace
}  // namespace atcav::onnx
