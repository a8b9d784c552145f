#include <numeric>

#include "plugins/torch/ops/table.h"

// Reductions. `axes` is an attribute before opset 18 (13 for ReduceSum) and an input since; none given
// means all, unless noop_with_empty_axes.
namespace atcav::plugin {
namespace {

using Reduction = at::Tensor (*)(const at::Tensor&, const Sizes&, bool);

template <Reduction reduction>
Tensors reduce(const Call& call) {
  const at::Tensor& x = call.in(0);
  Sizes axes = call.integers("axes", 1).value_or(Sizes());
  if (axes.empty()) {
    if (call.integer("noop_with_empty_axes", 0) != 0) return {x};
    axes.resize(static_cast<std::size_t>(x.dim()));
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (auto& axis : axes) axis = call.axis(axis, x.dim());
  // A single number has nothing to reduce, but |x|, x² or log(x) still apply.
  if (x.dim() == 0) return {reduction(x.reshape({1}), {0}, false)};
  return {reduction(x, axes, call.integer("keepdims", 1) != 0)};
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

at::Tensor max(const at::Tensor& x, const Sizes& axes, bool keep) { return x.amax(axes, keep); }
at::Tensor min(const at::Tensor& x, const Sizes& axes, bool keep) { return x.amin(axes, keep); }
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
  std::sort(descending.begin(), descending.end(), std::greater<>());
  at::Tensor result = x;
  for (const auto axis : descending) result = result.prod(axis, keep, x.scalar_type());
  return result;
}

constexpr auto kHost = Arguments::kOnHost;
constexpr OpEntry kOps[] = {
    {"ReduceL1", reduce<l1>, kHost},          {"ReduceL2", reduce<l2>, kHost},
    {"ReduceLogSum", reduce<log_sum>, kHost}, {"ReduceLogSumExp", reduce<log_sum_exp>, kHost},
    {"ReduceMax", reduce<max>, kHost},        {"ReduceMean", reduce<mean>, kHost},
    {"ReduceMin", reduce<min>, kHost},        {"ReduceProd", reduce<prod>, kHost},
    {"ReduceSum", reduce<sum>, kHost},        {"ReduceSumSquare", reduce<sum_square>, kHost},
};

}  // namespace

std::span<const OpEntry> reduce_ops() { return kOps; }

}  // namespace atcav::plugin
