#include "model/token_mask.h"

#include <algorithm>
#include <array>

#include "atcav/model.h"

namespace atcav::model {
namespace {

constexpr std::array kOthers = {
    "special_tokens_mask", "head_mask",  "global_attention_mask", "src_mask", "tgt_mask", "memory_mask",
    "attn_mask",           "causal_mask"};

int rank(std::string_view input) {
  const bool other = std::ranges::any_of(kOthers, [&](const char* end) { return input.ends_with(end); });
  if (!is_mask(input) || other) return 0;
  return input == "attention_mask" ? 3 : is_padding_mask(input) ? 2 : 1;
}

}  // namespace

std::int64_t mask_of_all(std::string_view mask) {
  return is_padding_mask(mask) || mask.ends_with("special_tokens_mask") ? 0 : 1;
}

std::optional<std::size_t> find_token_mask(std::span<const std::string> inputs) {
  const auto best =
      std::ranges::max_element(inputs, {}, [](const std::string& input) { return rank(input); });
  if (best == inputs.end() || rank(*best) == 0) return std::nullopt;
  return static_cast<std::size_t>(best - inputs.begin());
}

MatrixF token_mask(const std::vector<InputBatch>& inputs, const std::vector<InputInfo>& infos) {
  std::vector<std::string> names;
  names.reserve(infos.size());
  for (const InputInfo& input : infos) names.push_back(input.name);
  const auto found = find_token_mask(names);
  if (!found || *found >= inputs.size() || inputs[*found].shape.size() != 2) return {};
  const InputBatch& batch = inputs[*found];
  MatrixF mask(batch.shape[0], batch.shape[1]);
  for (Index i = 0; i < mask.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool given = batch.integers.empty() ? batch.reals[at] != 0 : batch.integers[at] != 0;
    mask.data()[i] = given != is_padding_mask(names[*found]) ? 1.0F : 0.0F;
  }
  return mask;
}

MatrixF Model::token_mask(const std::vector<InputBatch>& inputs) {
  return model::token_mask(inputs, facts().inputs);
}

}  // namespace atcav::model
