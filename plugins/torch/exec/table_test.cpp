#include "plugins/torch/exec/table.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

TEST(OpTable, FindsOpsOfOnnxsOwnDomainOnly) {
  onnx::Node conv = testing_support::node("Conv", {}, {});
  EXPECT_NE(find_op(conv), nullptr);
  conv.domain = "com.example";
  EXPECT_EQ(find_op(conv), nullptr);
  EXPECT_EQ(find_op(testing_support::node("StringNormalizer", {}, {})), nullptr);
}

std::string refusal(const std::string& op, std::vector<std::string> inputs,
                    std::vector<std::string> outputs) {
  const onnx::Node node = testing_support::node(op, std::move(inputs), std::move(outputs));
  try {
    check_slots(node, *find_op(node));
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
  return "";
}

TEST(CheckSlots, NeededInputsAreThere) {
  for (const char* op : {"If", "MatMul", "Conv", "BatchNormalization", "Relu", "Concat", "SequenceAt"}) {
    EXPECT_EQ(refusal(op, {}, {"y"}), "input 0 is missing") << op;
    EXPECT_EQ(refusal(op, {""}, {"y"}), "input 0 is missing") << op;
  }
  EXPECT_EQ(refusal("Conv", {"x", ""}, {"y"}), "input 1 is missing");
  EXPECT_EQ(refusal("BatchNormalization", {"x", "s", "b", "m"}, {"y"}), "input 4 is missing");
  EXPECT_EQ(refusal("Concat", {"x", "", "z"}, {"y"}), "input 1 is missing");
}

TEST(CheckSlots, OptionalOnesMayBeLeftOut) {
  EXPECT_EQ(refusal("Conv", {"x", "w", ""}, {"y"}), "");
  EXPECT_EQ(refusal("Clip", {"x", "", "most"}, {"y"}), "");
  EXPECT_EQ(refusal("Loop", {"", ""}, {"y"}), "");
  EXPECT_EQ(refusal("LSTM", {"x", "w", "r"}, {"", "", "c"}), "");
  EXPECT_EQ(refusal("Constant", {}, {"y"}), "");
}

TEST(CheckSlots, ThereAreNotMoreThanTheOpHas) {
  EXPECT_EQ(refusal("Relu", {"x", "z"}, {"y"}), "has 2 inputs, must be <= 1");
  EXPECT_EQ(refusal("Relu", {"x"}, {"y", "z"}), "has 2 outputs, must be <= 1");
}

TEST(CheckSlots, AnOutputHasAName) {
  for (const char* op : {"QuantizeLinear", "Conv", "Gemm"})
    EXPECT_EQ(refusal(op, {"x", "w"}, {}), "has no outputs");
  EXPECT_EQ(refusal("BatchNormalization", {"x", "s", "b", "m", "v"}, {""}), "has no outputs");
  EXPECT_EQ(refusal("Identity", {"x"}, {}), "has no outputs");
}

TEST(OpTable, NamesAreSortedAndUnique) {
  const auto names = op_names();
  EXPECT_GT(names.size(), 120U);
  for (std::size_t i = 1; i < names.size(); ++i) EXPECT_LT(names[i - 1], names[i]);
}

TEST(OpTable, DocumentationListsEveryOp) {
  std::ifstream file(ATCAV_SOURCE_DIR "/docs/models.md");
  ASSERT_TRUE(file) << "docs/models.md is missing";
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const std::string& name : op_names()) EXPECT_THAT(page, testing::HasSubstr("`" + name + "`"));
}

}  // namespace
}  // namespace atcav::plugin
