#include "plugins/torch/onnx/insert_nodes.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "plugins/torch/onnx/parse_model.h"
#include "plugins/torch/onnx/wire.h"
#include "tests/support/onnx_model.h"

namespace atcav::onnx {
namespace {

using namespace testing_support;  // NOLINT: short cases read better
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Model two_steps() {
  return onnx_model(
      {value("x", {-1, 2})}, {noise("A", {2, 2})},
      {node("MatMul", {"x", "A"}, {"h"}, {}, "first"), node("Relu", {"h"}, {"y"}, {}, "second")},
      {value("h", {-1, 2}), value("y", {-1, 2})});
}

Insertion doubling() {
  return {"h", "h/before", {node("Add", {"h/before", "h/before"}, {"h"}, {}, "twice")}, "mark", "doubled"};
}

TEST(InsertNodes, PutsThemBetweenTheTensorAndItsReaders) {
  const Model edited = parse_model(Bytes::own(insert_nodes(model_bytes(two_steps()), doubling())));
  ASSERT_EQ(edited.graph.nodes.size(), 3U);
  EXPECT_THAT(edited.graph.nodes[0].outputs, ElementsAre("h/before"));
  EXPECT_EQ(edited.graph.nodes[0].name, "first");
  EXPECT_EQ(edited.graph.nodes[1].name, "twice");
  EXPECT_THAT(edited.graph.nodes[1].outputs, ElementsAre("h"));
  EXPECT_THAT(edited.graph.nodes[2].inputs, ElementsAre("h"));
  EXPECT_EQ(edited.graph.outputs[0].name, "h");
}

// Fields that no version of the format has are among them.
TEST(InsertNodes, LeavesAllOtherBytesAsTheyAre) {
  std::string file = model_bytes(two_steps());
  protozero::pbf_writer(file).add_string(77, "not in the format");
  const std::string edited = insert_nodes(file, doubling());
  EXPECT_TRUE(edited.ends_with(file.substr(file.size() - 30)));  // opset and unknown field
  EXPECT_NE(edited.find(tensor_bytes(two_steps().graph.initializers[0])), std::string::npos);
  EXPECT_NE(edited.find(node_bytes(two_steps().graph.nodes[1])), std::string::npos);
  EXPECT_NE(edited.find("not in the format"), std::string::npos);
}

TEST(InsertNodes, MarksTheFileAtItsBeginningAndKeepsEarlierNotes) {
  const std::string once = insert_nodes(model_bytes(two_steps()), doubling());
  EXPECT_LT(once.find("mark"), 10U);
  Insertion again = doubling();
  again.before = "h/before2";
  again.nodes.front().inputs = {"h/before2", "h/before2"};
  again.note = "again";
  const std::string twice = insert_nodes(once, again);
  EXPECT_LT(twice.find("doubled; again"), 20U);
  EXPECT_EQ(twice.find("mark", 10), std::string::npos);
  EXPECT_EQ(parse_model(Bytes::own(twice)).graph.nodes.size(), 4U);
}

TEST(InsertNodes, KeepsThemInTheModuleOfTheNodeBefore) {
  Model model = two_steps();
  model.graph.nodes[0].name = "/layer3/layer3.0/MatMul";
  const Model edited = parse_model(Bytes::own(insert_nodes(model_bytes(model), doubling())));
  EXPECT_EQ(edited.graph.nodes[1].name, "/layer3/layer3.0/twice");
}

TEST(InsertNodes, RefusesTensorsThatNoOuterNodeMakes) {
  for (const char* tensor : {"x", "A", "inside"}) {
    Insertion insertion = doubling();
    insertion.tensor = tensor;
    EXPECT_THAT([&] { insert_nodes(model_bytes(two_steps()), insertion); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("choose another layer")));
  }
}

TEST(InsertNodes, SaysThatAFileIsDamaged) {
  const std::string file = model_bytes(two_steps());
  EXPECT_THROW(insert_nodes(file.substr(0, file.size() / 2), doubling()), std::runtime_error);
}

}  // namespace
}  // namespace atcav::onnx
