#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

// By ATen's own product, softmax, product.
at::Tensor plain_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, bool causal) {
  at::Tensor scores = at::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
  if (causal) scores = scores.masked_fill(at::ones_like(scores).tril().eq(0), -1e30);
  return at::matmul(at::softmax(scores, -1), v);
}

TEST(AttentionOps, EqualsProductSoftmaxProduct) {
  const at::Tensor q = numbers({2, 2, 3, 4}), k = numbers({2, 2, 3, 4}, 1), v = numbers({2, 2, 3, 5}, 2);
  EXPECT_TRUE(at::allclose(run_op({"Attention", {}, 23}, {q, k, v})[0], plain_attention(q, k, v, false)));
  EXPECT_TRUE(at::allclose(run_op({"Attention", {integer("is_causal", 1)}, 23}, {q, k, v})[0],
                           plain_attention(q, k, v, true)));
}

TEST(AttentionOps, FlatInputsAreSplitIntoHeads) {
  const at::Tensor x = numbers({1, 3, 8});
  const auto heads = [&](const at::Tensor& t) { return t.reshape({1, 3, 2, 4}).transpose(1, 2); };
  const OpCase op{"Attention", {integer("q_num_heads", 2), integer("kv_num_heads", 2)}, 23};
  EXPECT_TRUE(at::allclose(run_op(op, {x, x, x})[0],
                           plain_attention(heads(x), heads(x), heads(x), false).transpose(1, 2).flatten(2)));
}

// Found by graph_fuzz on its 2,053rd run: heads that are none were divided by.
TEST(AttentionOps, KeysWithoutHeadsAreRefused) {
  const at::Tensor q = at::ones({1, 2, 3, 4});
  const at::Tensor none = at::ones({1, 0, 3, 4});
  EXPECT_THROW(run_op({"Attention"}, {q, none, none}), std::runtime_error);
  EXPECT_THROW(run_op({"Attention"}, {q, at::ones({1, 1, 3, 4}), none}), std::runtime_error);
  EXPECT_THROW(run_op({"LinearAttention", {text("update_rule", "linear")}}, {q, q, q}), std::runtime_error);
}

TEST(AttentionOps, AQueryThatSeesNothingGivesZero) {
  const at::Tensor x = numbers({1, 1, 2, 4});
  const at::Tensor mask = at::tensor({1, 0, 0, 0}, at::kInt).to(at::kBool).reshape({2, 2});
  const at::Tensor y = run_op({"Attention", {}, 23}, {x, x, x, mask})[0];
  EXPECT_TRUE(at::allclose(y[0][0][0], x[0][0][0]));
  EXPECT_EQ(y[0][0][1].abs().max().item<double>(), 0);
}

TEST(AttentionOps, Gradients) {
  const at::Tensor q = numbers({1, 2, 3, 4}), k = numbers({1, 1, 3, 4}, 1), v = numbers({1, 1, 3, 4}, 2);
  const OpCase causal{"Attention", {integer("is_causal", 1)}, 23};
  for (std::size_t which = 0; which < 3; ++which) EXPECT_LT(gradient_error(causal, {q, k, v}, which), 1e-8);
  const at::Tensor cosine = numbers({5, 2}, 3), sine = numbers({5, 2}, 4);
  const at::Tensor positions = at::tensor({0, 4, 2}, at::kLong).reshape({1, 3});
  EXPECT_LT(gradient_error({"RotaryEmbedding", {}, 23}, {q, cosine, sine, positions}), 1e-8);
  EXPECT_LT(gradient_error({"RMSNormalization", {}, 23}, {q, numbers({4}, 5)}), 1e-8);
}

// A rotation keeps lengths, and undoes itself with the opposite angle.
TEST(AttentionOps, RotaryEmbeddingTurnsPairs) {
  const at::Tensor x = numbers({1, 1, 3, 4});
  const at::Tensor angle = numbers({1, 3, 2}, 1);
  for (const int interleaved : {0, 1}) {
    const OpCase op{"RotaryEmbedding", {integer("interleaved", interleaved)}, 23};
    const at::Tensor y = run_op(op, {x, angle.cos(), angle.sin()})[0];
    EXPECT_TRUE(at::allclose(y.pow(2).sum(-1), x.pow(2).sum(-1)));
    EXPECT_TRUE(at::allclose(run_op(op, {y, angle.cos(), -angle.sin()})[0], x));
  }
}

// Without decay it is attention without a softmax: what a query has in common with each key it has seen,
// times that key's value.
TEST(AttentionOps, LinearAttentionIsASumOverThePast) {
  const at::Tensor q = numbers({1, 4, 6}), k = numbers({1, 4, 3}, 1), v = numbers({1, 4, 2}, 2);
  const OpCase op{"LinearAttention",
                  {integer("q_num_heads", 2), integer("kv_num_heads", 1), text("update_rule", "linear"),
                   real("scale", 0.5F)},
                  27,
                  2};
  const at::Tensor heads = q.reshape({1, 4, 2, 3}).transpose(1, 2);
  const at::Tensor common = at::matmul(heads, k.unsqueeze(1).transpose(2, 3)).tril() * 0.5;
  const at::Tensor expected = at::matmul(common, v.unsqueeze(1)).transpose(1, 2).flatten(2);
  const Tensors found = run_op(op, {q, k, v});
  EXPECT_TRUE(at::allclose(found[0], expected));
  EXPECT_TRUE(at::allclose(found[1][0][0], at::matmul(k[0].t(), v[0])));
  EXPECT_LT(gradient_error(op, {q, k, v}, 1), 1e-8);
}

// A delta writes what a key reads back: with beta 1 and keys of length 1 the last value, whatever was there.
TEST(AttentionOps, ADeltaReplacesWhatItsKeyHad) {
  const at::Tensor key = at::tensor({0.6, 0.8}).reshape({1, 1, 2}).repeat({1, 3, 1});
  const at::Tensor v = numbers({1, 3, 2}, 2);
  const OpCase op{
      "LinearAttention", {integer("q_num_heads", 1), integer("kv_num_heads", 1), real("scale", 1)}, 27, 2};
  const at::Tensor decay = numbers({1, 3, 1}, 3);
  const at::Tensor y = run_op(op, {key, key, v, {}, decay, at::ones({1, 3, 1}, at::kDouble)})[0];
  EXPECT_TRUE(at::allclose(y, v));
  EXPECT_THROW(run_op(op, {key, key, v}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
