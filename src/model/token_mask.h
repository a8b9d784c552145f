#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atcav/examples.h"

// What inputs with "mask" in their name say: which tokens of a sequence count.
namespace atcav::model {

inline bool is_mask(std::string_view input) { return input.find("mask") != std::string_view::npos; }

// Masks of padding ("src_key_padding_mask") say which tokens do not count.
inline bool is_padding_mask(std::string_view input) { return input.ends_with("padding_mask"); }

// What a mask holds where every token counts: 1, but 0 in masks of padding and of special tokens.
std::int64_t mask_of_all(std::string_view mask);

// The position of the input that says which tokens count when positions are pooled, if there is one:
// "attention_mask", or else a mask of padding, or else another mask; never those of special tokens, heads,
// global attention or pairs of tokens.
std::optional<std::size_t> find_token_mask(std::span<const std::string> inputs);

// 1 where a token counts, 0 elsewhere: examples × tokens. Empty where no input says so.
MatrixF token_mask(const std::vector<InputBatch>& inputs, const std::vector<InputInfo>& infos);

}  // namespace atcav::model
