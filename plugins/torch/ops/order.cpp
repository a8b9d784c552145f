#include "plugins/torch/ops/table.h"

// What depends on the order of elements: extremes, sorting, running sums.
namespace atcav::plugin {
namespace {

template <at::Tensor (*find)(const at::Tensor&, c10::optional<std::int64_t>, bool)>
Tensors arg_extreme(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = call.axis(call.integer("axis", 0), x.dim());
  const bool keep = call.integer("keepdims", 1) != 0;
  if (call.integer("select_last_index", 0) == 0) return {find(x, axis, keep)};
  return {x.size(axis) - 1 - find(x.flip({axis}), axis, keep)};
}

// Stable, so that equal elements keep their order as ONNX demands.
Tensors top_k(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = call.axis(call.integer("axis", -1), x.dim());
  const auto count = call.opset() < 10 ? call.integer("k", 0) : static_cast<std::int64_t>(call.number_in(1));
  if (count < 0 || count > x.size(axis)) call.fail("k is larger than the axis");
  const bool largest = call.integer("largest", 1) != 0;
  const auto [values, indices] = at::sort(x, /*stable=*/true, axis, /*descending=*/largest);
  return {values.narrow(axis, 0, count), indices.narrow(axis, 0, count)};
}

Tensors cumulative_sum(const Call& call) {
  const auto axis = call.axis(static_cast<std::int64_t>(call.number_in(1)), call.in(0).dim());
  const bool reverse = call.integer("reverse", 0) != 0;
  const at::Tensor x = reverse ? call.in(0).flip({axis}) : call.in(0);
  at::Tensor sums = x.cumsum(axis, x.scalar_type());
  if (call.integer("exclusive", 0) != 0 && x.size(axis) > 0) {
    sums = at::cat({at::zeros_like(x.narrow(axis, 0, 1)), sums.narrow(axis, 0, x.size(axis) - 1)}, axis);
  }
  return {reverse ? sums.flip({axis}) : sums};
}

// Flips the first lengths[b] steps of each batch entry.
Tensors reverse_sequence(const Call& call) {
  const auto batch_axis = call.axis(call.integer("batch_axis", 1), 2);
  const auto time_axis = call.axis(call.integer("time_axis", 0), 2);
  const Sizes lengths = call.integers_in(1);
  at::Tensor y = call.in(0).clone();
  if (static_cast<std::int64_t>(lengths.size()) != y.size(batch_axis))
    call.fail("input 1 has the wrong length");
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    const auto entry = static_cast<std::int64_t>(b);
    const at::Tensor from = call.in(0).narrow(batch_axis, entry, 1).narrow(time_axis, 0, lengths[b]);
    y.narrow(batch_axis, entry, 1).narrow(time_axis, 0, lengths[b]).copy_(from.flip({time_axis}));
  }
  return {y};
}

constexpr OpEntry kOps[] = {
    {"ArgMax", arg_extreme<at::argmax>},
    {"ArgMin", arg_extreme<at::argmin>},
    {"CumSum", cumulative_sum, Arguments::kOnHost},
    {"ReverseSequence", reverse_sequence, Arguments::kOnHost},
    {"TopK", top_k, Arguments::kOnHost},
};

}  // namespace

std::span<const OpEntry> order_ops() { return kOps; }

}  // namespace atcav::plugin
