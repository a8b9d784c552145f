#include "atcav/model/facts.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::model {
namespace {

TEST(Facts, ComeBackFromText) {
  Facts facts;
  facts.inputs = {{"x", {-1, 2, 3, 3}, false}, {"ids", {-1, 7}, true}};
  facts.layers = {{"half", "/block/Relu", "Relu", "block", {2, 3, 3}, 18, 2}};
  facts.logits = "y";
  facts.logit_count = 5;
  facts.notes = {"the final Softmax was stepped over"};
  facts.hash = "ab12";
  facts.files = {"weights.bin"};
  const Facts again = read_facts(write_facts(facts));
  ASSERT_EQ(again.inputs.size(), 2U);
  EXPECT_EQ(again.inputs[0].shape, facts.inputs[0].shape);
  EXPECT_EQ(again.inputs[1].name, "ids");
  EXPECT_TRUE(again.inputs[1].is_integer);
  ASSERT_EQ(again.layers.size(), 1U);
  EXPECT_EQ(again.layers[0].node, "/block/Relu");
  EXPECT_EQ(again.layers[0].op, "Relu");
  EXPECT_EQ(again.layers[0].path, "block");
  EXPECT_EQ(again.layers[0].shape, facts.layers[0].shape);
  EXPECT_EQ(again.layers[0].size, 18);
  EXPECT_EQ(again.layers[0].pooled_size, 2);
  EXPECT_EQ(again.logits, "y");
  EXPECT_EQ(again.logit_count, 5);
  EXPECT_EQ(again.notes, facts.notes);
  EXPECT_EQ(again.hash, "ab12");
  EXPECT_EQ(again.files, facts.files);
}

// Names in ONNX files are bytes; what is not UTF-8 must not end a run.
TEST(Facts, NamesMayBeAnyBytes) {
  Facts facts;
  facts.logits = "a\xff";
  EXPECT_EQ(read_facts(write_facts(facts)).logits, "a\xef\xbf\xbd");
}

TEST(Facts, OtherTextIsRefused) {
  for (const char* text : {"", "{}", "[1]", R"({"logits":1})"})
    EXPECT_THROW(read_facts(text), std::runtime_error) << text;
}

}  // namespace
}  // namespace atcav::model
