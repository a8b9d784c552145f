#include "plugins/torch/ops/table.h"

// Softmax and its relatives. Since opset 13 they work along one axis (default the last); before, the
// tensor was made a matrix at `axis` (default 1) and they worked along its rows.
namespace atcav::plugin {
namespace {

template <typename Function>
Tensors along_axis(const Call& call, Function function) {
  const at::Tensor& x = call.in(0);
  const bool old = call.opset() < 13;
  const auto wanted = call.integer("axis", old ? 1 : -1);
  if (!old) return {function(x, call.axis(wanted, x.dim()))};
  // Here axis == rank is allowed: rows of one element.
  const auto axis = wanted == x.dim() ? wanted : call.axis(wanted, x.dim());
  const at::Tensor rows =
      x.reshape({c10::multiply_integers(x.sizes().slice(0, static_cast<std::size_t>(axis))), -1});
  return {function(rows, 1).reshape(x.sizes())};
}

Tensors softmax(const Call& call) {
  return along_axis(call, [](const at::Tensor& x, std::int64_t axis) { return at::softmax(x, axis); });
}

Tensors log_softmax(const Call& call) {
  return along_axis(call, [](const at::Tensor& x, std::int64_t axis) { return at::log_softmax(x, axis); });
}

// 1 at the first largest element, 0 elsewhere.
Tensors hardmax(const Call& call) {
  return along_axis(call, [](const at::Tensor& x, std::int64_t axis) {
    return at::zeros_like(x).scatter(axis, x.argmax(axis, true), 1);
  });
}

constexpr OpEntry kOps[] = {{"Hardmax", hardmax}, {"LogSoftmax", log_softmax}, {"Softmax", softmax}};

}  // namespace

std::span<const OpEntry> softmax_ops() { return kOps; }

}  // namespace atcav::plugin
