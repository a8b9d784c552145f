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

}  // namespace
}  // namespace atcav::model
