#include <limits>

#include "plugins/torch/exec/table.h"

// Attention and rotary position embeddings as single nodes (opset 23 and later).
namespace atcav::plugin {
namespace {

// batch × tokens × (heads · size) → batch × heads × tokens × size; four dimensions are that already.
at::Tensor by_head(const Call& call, const at::Tensor& x, std::int64_t heads, const char* attribute) {
  if (x.dim() == 4) return x;
  if (x.dim() != 3 || heads < 1 || x.size(2) % heads != 0)
    call.fail(std::string("attribute '") + attribute + "' does not divide the width of its input");
  return x.reshape({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

// 0 where a key may be seen and −∞ elsewhere, added to the mask: tokens × keys, or with a batch in front.
at::Tensor attention_bias(const Call& call, const at::Tensor& q, std::int64_t keys, std::int64_t past) {
  const auto never = -std::numeric_limits<double>::infinity();
  const auto options = q.options();
  const auto tokens = q.size(2);
  at::Tensor bias = at::zeros({tokens, keys}, options);
  const auto forbid = [&](const at::Tensor& allowed) {
    bias = bias + at::zeros(allowed.sizes(), options).masked_fill(allowed.logical_not(), never);
  };
  if (call.has(3)) {
    at::Tensor mask = call.in(3);
    const bool yes_or_no = mask.scalar_type() == at::kBool;
    if (const auto missing = keys - mask.size(-1); missing > 0)
      mask = at::constant_pad_nd(mask, {0, missing}, yes_or_no ? 0 : never);
    if (yes_or_no) {
      forbid(mask);
    } else {
      bias = bias + mask;
    }
  }
  const at::Tensor key = at::arange(keys, options.dtype(at::kLong));
  // Position of each query among the keys: after the past, or at the end of what is not padding.
  at::Tensor query = at::arange(tokens, options.dtype(at::kLong)).reshape({-1, 1}) + past;
  if (call.has(6)) {
    const at::Tensor lengths = call.in(6).to(at::kLong).reshape({-1, 1, 1, 1});
    query = query - past + lengths - tokens;
    forbid(key < lengths);
  }
  if (call.flag("is_causal")) forbid(key <= query);
  const auto left = call.integer("left_window_size", -1);
  const auto right = call.integer("right_window_size", -1);
  if (left >= 0) forbid(query - key <= left);
  if (right >= 0) forbid(key - query <= right);
  return bias;
}

void check_shared(const Call& call, std::int64_t heads, std::int64_t shared) {
  if (shared < 1 || heads % shared != 0)
    call.fail("the heads of keys and values do not divide those of queries");
}

Tensors attention(const Call& call) {
  const bool flat = call.in(0).dim() == 3;
  const at::Tensor q = by_head(call, call.in(0), call.integer("q_num_heads", 0), "q_num_heads");
  at::Tensor k = by_head(call, call.in(1), call.integer("kv_num_heads", 0), "kv_num_heads");
  at::Tensor v = by_head(call, call.in(2), call.integer("kv_num_heads", 0), "kv_num_heads");
  const std::int64_t past = call.has(4) ? call.in(4).size(2) : 0;
  if (call.has(4)) k = at::cat({call.in(4), k}, 2);
  if (call.has(5)) v = at::cat({call.in(5), v}, 2);
  const at::Tensor present_key = k;
  const at::Tensor present_value = v;
  if (q.size(1) != k.size(1)) {  // several heads of queries share keys and values
    check_shared(call, q.size(1), k.size(1));
    check_shared(call, q.size(1), v.size(1));
    k = k.repeat_interleave(q.size(1) / k.size(1), 1);
    v = v.repeat_interleave(q.size(1) / v.size(1), 1);
  }
  const double scale = call.real("scale", 1 / std::sqrt(static_cast<double>(q.size(3))));
  const auto mode = call.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) call.fail("attribute 'qk_matmul_output_mode' must be 0, 1, 2 or 3");
  at::Tensor scores = at::matmul(q * std::sqrt(scale), k.transpose(2, 3) * std::sqrt(scale));
  const at::Tensor raw = scores;
  const double cap = call.real("softcap", 0);
  if (cap > 0) scores = at::tanh(scores / cap) * cap;
  const at::Tensor capped = scores;
  const at::Tensor bias = attention_bias(call, q, k.size(2), past);
  scores = scores + bias;
  // A query that may see nothing attends to nothing.
  const at::Tensor blind = std::get<0>(bias.max(-1, true)).isneginf();
  const at::Tensor weights = at::softmax(scores.masked_fill(blind, 0), -1).masked_fill(blind, 0);
  at::Tensor y = at::matmul(weights, v);
  if (flat) y = y.transpose(1, 2).flatten(2);
  const at::Tensor shown[] = {cap > 0 ? capped : raw, capped, scores, weights};
  return {y, present_key, present_value, shown[mode]};
}

Tensors rotary_embedding(const Call& call) {
  const at::Tensor& given = call.in(0);
  const bool flat = given.dim() == 3;
  const auto heads = call.integer("num_heads", 0);
  // batch × tokens × heads × size
  const at::Tensor x = by_head(call, given, heads, "num_heads").transpose(1, 2);
  const auto width =
      call.integer("rotary_embedding_dim", 0) > 0 ? call.integer("rotary_embedding_dim", 0) : x.size(3);
  if (width > x.size(3) || width % 2 != 0) call.fail("attribute 'rotary_embedding_dim' does not fit");
  at::Tensor cosine = call.in(1);
  at::Tensor sine = call.in(2);
  if (call.has(3)) {
    const at::Tensor positions = call.in(3).to(at::kLong);
    cosine = at::embedding(cosine, positions);
    sine = at::embedding(sine, positions);
  }
  cosine = cosine.unsqueeze(2);
  sine = sine.unsqueeze(2);
  const at::Tensor turned = x.narrow(3, 0, width);
  const bool interleaved = call.flag("interleaved");
  const at::Tensor a = interleaved ? turned.slice(3, 0, width, 2) : turned.narrow(3, 0, width / 2);
  const at::Tensor b = interleaved ? turned.slice(3, 1, width, 2) : turned.narrow(3, width / 2, width / 2);
  const at::Tensor real = cosine * a - sine * b;
  const at::Tensor imaginary = sine * a + cosine * b;
  at::Tensor y = interleaved ? at::stack({real, imaginary}, -1).flatten(3) : at::cat({real, imaginary}, 3);
  y = at::cat({y, x.narrow(3, width, x.size(3) - width)}, 3);
  return {flat ? y.flatten(2) : y.transpose(1, 2)};
}

// A state of keys × values per head takes in one token after the other, S ← S·exp(decay) + k ⊗ v, and each
// query reads it. Where the rule is a delta, v is first replaced by beta·(v − what S has for k already).
Tensors linear_attention(const Call& call) {
  const std::string rule = call.choice("update_rule", {"gated_delta", "linear", "gated", "delta"});
  const bool gated = rule == "gated" || rule == "gated_delta";
  const bool delta = rule == "delta" || rule == "gated_delta";
  if (gated != call.has(4) || delta != call.has(5))
    call.fail("inputs 4 (decay) and 5 (beta) do not fit attribute 'update_rule', which is '" + rule + "'");
  const auto heads = call.integer("q_num_heads", 0);
  const auto shared = call.integer("kv_num_heads", 0);
  const at::Tensor q = by_head(call, call.in(0), heads, "q_num_heads");
  const at::Tensor k = by_head(call, call.in(1), shared, "kv_num_heads");
  const at::Tensor v = by_head(call, call.in(2), shared, "kv_num_heads");
  check_shared(call, heads, shared);
  at::Tensor decay, beta;  // batch × heads × tokens × (1 or size)
  if (gated) decay = by_head(call, call.in(4), shared, "kv_num_heads");
  if (delta) beta = by_head(call, call.in(5), std::min(shared, call.in(5).size(-1)), "kv_num_heads");
  at::Tensor state =
      call.has(3) ? call.in(3) : at::zeros({q.size(0), shared, k.size(3), v.size(3)}, q.options());
  double scale = call.real("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  Tensors read;
  for (std::int64_t t = 0; t < q.size(2); ++t) {
    const at::Tensor key = k.select(2, t).unsqueeze(-1);
    at::Tensor value = v.select(2, t).unsqueeze(-2);
    if (gated) state = state * at::exp(decay.select(2, t)).unsqueeze(-1);
    if (delta) value = beta.select(2, t).unsqueeze(-1) * (value - (state * key).sum(2, true));
    state = state + key * value;
    const at::Tensor seen = heads == shared ? state : state.repeat_interleave(heads / shared, 1);
    read.push_back(at::matmul(q.select(2, t).unsqueeze(-2), seen).squeeze(-2) * scale);
  }
  if (read.empty()) call.fail("there are no tokens");
  return {at::stack(read, 1).flatten(2), state};
}

constexpr OpEntry kAttentionOps[] = {{"Attention", attention, {3, 7, 4}},
                                     {"LinearAttention", linear_attention, {3, 6, 2}},
                                     {"RotaryEmbedding", rotary_embedding, {3, 4}}};

}  // namespace

std::span<const OpEntry> attention_ops() { return kAttentionOps; }

}  // namespace atcav::plugin
