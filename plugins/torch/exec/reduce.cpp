#include <limits>

#include "plugins/torch/exec/table.h"

// Reductions, and what depends on the order of elements: extremes, sorting, running sums.
namespace atcav::plugin {
namespace {

// `axes` is an attribute before opset 18 (13 for ReduceSum) and an input since; none given means all, unless
// noop_with_empty_axes.
using Reduction = at::Tensor (*)(const at::Tensor&, const Sizes&, bool);

template <Reduction reduction>
Tensors reduce(const Call& call) {
  const at::Tensor& x = call.in(0);
  Sizes axes = call.integers("axes", 1).value_or(Sizes());
  if (axes.empty()) {
    if (call.flag("noop_with_empty_axes")) return {x};
    axes = first_axes(x.dim());
  }
  for (auto& axis : axes) axis = axis_of(call, axis, x.dim());
  // A single number has nothing to reduce, but |x|, x² or log(x) still apply.
  if (x.dim() == 0) return {reduction(x.reshape({1}), {0}, false)};
  return {reduction(x, axes, call.flag("keepdims", true))};
}

// Integers stay integers.
at::Tensor sum(const at::Tensor& x, const Sizes& axes, bool keep) {
  return x.sum(axes, keep,
               at::isIntegralType(x.scalar_type(), true) ? x.scalar_type() : c10::optional<at::ScalarType>());
}

at::Tensor mean(const at::Tensor& x, const Sizes& axes, bool keep) {
  if (!at::isIntegralType(x.scalar_type(), true)) return x.mean(axes, keep);
  return x.to(at::kDouble).mean(axes, keep).to(x.scalar_type());
}

// Of nothing at all: the least and the greatest number of the type.
template <bool greatest>
at::Tensor extreme(const at::Tensor& x, const Sizes& axes, bool keep) {
  if (x.numel() > 0) return greatest ? x.amax(axes, keep) : x.amin(axes, keep);
  const at::Tensor shaped = at::sum(x.to(at::kDouble), axes, keep);
  const double infinity = std::numeric_limits<double>::infinity();
  if (at::isFloatingType(x.scalar_type()))
    return at::full_like(shaped, greatest ? -infinity : infinity, x.options());
  if (x.scalar_type() == at::kBool) return at::full_like(shaped, !greatest, x.options());
  throw std::runtime_error("[onnx] ReduceMax or ReduceMin of an empty set of integers is not supported");
}
at::Tensor l1(const at::Tensor& x, const Sizes& axes, bool keep) { return sum(x.abs(), axes, keep); }
at::Tensor sum_square(const at::Tensor& x, const Sizes& axes, bool keep) { return sum(x * x, axes, keep); }

at::Tensor l2(const at::Tensor& x, const Sizes& axes, bool keep) {
  return sum_square(x, axes, keep).sqrt().to(x.scalar_type());
}

at::Tensor log_sum(const at::Tensor& x, const Sizes& axes, bool keep) { return sum(x, axes, keep).log(); }

at::Tensor log_sum_exp(const at::Tensor& x, const Sizes& axes, bool keep) {
  return at::logsumexp(x, axes, keep);
}

at::Tensor prod(const at::Tensor& x, const Sizes& axes, bool keep) {
  Sizes descending = axes;
  std::ranges::sort(descending, std::greater<>());
  at::Tensor result = x;
  for (const auto axis : descending) result = result.prod(axis, keep, x.scalar_type());
  return result;
}

template <at::Tensor (*find)(const at::Tensor&, c10::optional<std::int64_t>, bool)>
Tensors arg_extreme(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = axis_of(call, call.integer("axis", 0), x.dim());
  const bool keep = call.flag("keepdims", true);
  if (!call.flag("select_last_index")) return {find(x, axis, keep)};
  return {x.size(axis) - 1 - find(x.flip({axis}), axis, keep)};
}

// Stable, so that equal elements keep their order as ONNX demands.
Tensors top_k(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = axis_of(call, call.integer("axis", -1), x.dim());
  const auto count = call.opset() < 10 ? call.integer("k", 0) : call.integer_in(1);
  if (count < 0 || count > x.size(axis)) call.fail("k is larger than the axis");
  const bool largest = call.flag("largest", true);
  const auto [values, indices] = at::sort(x, /*stable=*/true, axis, /*descending=*/largest);
  return {values.narrow(axis, 0, count), indices.narrow(axis, 0, count)};
}

// Sums or products of all up to each element; without it where exclusive.
template <bool product>
Tensors cumulative(const Call& call) {
  const auto axis = axis_of(call, call.integer_in(1), call.in(0).dim());
  const bool reverse = call.flag("reverse");
  const at::Tensor x = reverse ? call.in(0).flip({axis}) : call.in(0);
  at::Tensor sums = product ? x.cumprod(axis, x.scalar_type()) : x.cumsum(axis, x.scalar_type());
  if (call.flag("exclusive") && x.size(axis) > 0) {
    const at::Tensor first = at::full_like(x.narrow(axis, 0, 1), product ? 1 : 0);
    sums = at::cat({first, sums.narrow(axis, 0, x.size(axis) - 1)}, axis);
  }
  return {reverse ? sums.flip({axis}) : sums};
}

// Flips the first lengths[b] steps of each batch entry.
Tensors reverse_sequence(const Call& call) {
  const auto batch_axis = axis_of(call, call.integer("batch_axis", 1), 2);
  const auto time_axis = axis_of(call, call.integer("time_axis", 0), 2);
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

constexpr OpEntry kReduceOps[] = {{"ArgMax", arg_extreme<at::argmax>},
                                  {"ArgMin", arg_extreme<at::argmin>},
                                  {"CumProd", cumulative<true>, {2, 2}, kHost},
                                  {"CumSum", cumulative<false>, {2, 2}, kHost},
                                  {"ReduceL1", reduce<l1>, {1, 2}, kHost},
                                  {"ReduceL2", reduce<l2>, {1, 2}, kHost},
                                  {"ReduceLogSum", reduce<log_sum>, {1, 2}, kHost},
                                  {"ReduceLogSumExp", reduce<log_sum_exp>, {1, 2}, kHost},
                                  {"ReduceMax", reduce<extreme<true>>, {1, 2}, kHost},
                                  {"ReduceMean", reduce<mean>, {1, 2}, kHost},
                                  {"ReduceMin", reduce<extreme<false>>, {1, 2}, kHost},
                                  {"ReduceProd", reduce<prod>, {1, 2}, kHost},
                                  {"ReduceSum", reduce<sum>, {1, 2}, kHost},
                                  {"ReduceSumSquare", reduce<sum_square>, {1, 2}, kHost},
                                  {"ReverseSequence", reverse_sequence, {2, 2}, kHost},
                                  {"TopK", top_k, {1, 2, 2}, kHost}};

}  // namespace

std::span<const OpEntry> reduce_ops() { return kReduceOps; }

}  // namespace atcav::plugin
