#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/model.h"

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

// Names in ONNX files are bytes: cache keys are made of them, so none may become another.
TEST(Facts, NamesMayBeAnyBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& name : {std::string("a\xff"), std::string("a\xfe"), std::string("größe"), all}) {
    Facts facts;
    facts.inputs = {{"x", {-1, 2}, false}};
    facts.logits = name;
    EXPECT_EQ(read_facts(write_facts(facts)).logits, name);
  }
}

// A forged text must not lead outside of anything.
TEST(Facts, WhatCannotBeIsRefused) {
  Facts good;
  good.inputs = {{"x", {-1, 2}, false}};
  good.layers = {{"h", "", "Relu", "", {4, 3}, 12, 4}};
  good.modules = {{"m", "", 0, ""}};
  EXPECT_NO_THROW(read_facts(write_facts(good)));
  const auto refused = [&](const auto& spoil) {
    Facts facts = good;
    spoil(facts);
    EXPECT_THROW(read_facts(write_facts(facts)), std::runtime_error);
  };
  refused([](Facts& facts) { facts.modules[0].layer = 1; });
  refused([](Facts& facts) { facts.logit_count = -1; });
  refused([](Facts& facts) { facts.inputs.clear(); });
  refused([](Facts& facts) { facts.inputs[0].shape.clear(); });
  refused([](Facts& facts) { facts.layers[0].size = 13; });
  refused([](Facts& facts) { facts.layers[0].shape = {-4, -3}; });
  refused([](Facts& facts) { facts.layers[0].shape = {Index{1} << 40, Index{1} << 40}; });
  refused([](Facts& facts) { facts.layers[0].pooled_size = 24; });
  refused([](Facts& facts) { facts.layers[0].pooled_size = 5; });
  refused([](Facts& facts) { facts.layers[0].pooled_size = 0; });
}

TEST(Facts, OtherTextIsRefused) {
  for (const char* text : {"", "{}", "[1]", R"({"logits":1})"})
    EXPECT_THROW(read_facts(text), std::runtime_error) << text;
  EXPECT_THROW(read_facts(std::string(1'000'000, '[')), std::runtime_error);
}

}  // namespace
}  // namespace atcav::model
