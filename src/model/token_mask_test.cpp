#include "model/token_mask.h"

#include <gtest/gtest.h>

#include <vector>

namespace atcav::model {
namespace {

std::string found(const std::vector<std::string>& inputs) {
  const auto position = find_token_mask(inputs);
  return position ? inputs[*position] : "none";
}

TEST(FindTokenMask, TheAttentionMaskComesBeforePaddingAndOthers) {
  EXPECT_EQ(found({"input_ids", "special_tokens_mask", "attention_mask"}), "attention_mask");
  EXPECT_EQ(found({"mask", "src_key_padding_mask", "attention_mask"}), "attention_mask");
  EXPECT_EQ(found({"mask", "src_key_padding_mask", "tgt_key_padding_mask"}), "src_key_padding_mask");
  EXPECT_EQ(found({"x", "mask"}), "mask");
}

TEST(FindTokenMask, OtherMasksAreNotAboutTokens) {
  EXPECT_EQ(found({}), "none");
  EXPECT_EQ(found({"input_ids"}), "none");
  EXPECT_EQ(found({"special_tokens_mask", "head_mask", "decoder_head_mask", "src_mask", "attn_mask"}),
            "none");
}

TEST(MaskOfAll, IsZeroWhereTheMaskMeansPadding) {
  EXPECT_EQ(mask_of_all("attention_mask"), 1);
  EXPECT_EQ(mask_of_all("src_key_padding_mask"), 0);
  EXPECT_EQ(mask_of_all("special_tokens_mask"), 0);
}

TEST(TokenMask, IsTurnedRoundWhereItMeansPadding) {
  const std::vector<InputBatch> inputs = {{{1, 3}, {}, {7, 8, 9}}, {{1, 3}, {}, {1, 0, 0}}};
  MatrixF expected(1, 3);
  expected << 1, 0, 0;
  EXPECT_EQ(token_mask(inputs, {{"ids", {-1, -1}, true}, {"attention_mask", {-1, -1}, true}}), expected);
  expected << 0, 1, 1;
  EXPECT_EQ(token_mask(inputs, {{"ids", {-1, -1}, true}, {"src_key_padding_mask", {-1, -1}, true}}),
            expected);
  EXPECT_EQ(token_mask(inputs, {{"ids", {-1, -1}, true}, {"special_tokens_mask", {-1, -1}, true}}).size(), 0);
}

}  // namespace
}  // namespace atcav::model
