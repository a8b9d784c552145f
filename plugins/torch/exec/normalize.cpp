#include "plugins/torch/exec/table.h"

// Normalisation layers, as they act at inference, and Softmax with its relatives.
namespace atcav::plugin {
namespace {

// training_mode (opset 14): statistics of this batch, and the running ones updated.
Tensors batch_norm_training(const Call& call) {
  const at::Tensor& x = call.in(0);
  const double momentum = call.real("momentum", 0.9);
  Sizes dims;
  for (std::int64_t i = 0; i < x.dim(); ++i) {
    if (i != 1) dims.push_back(i);
  }
  const at::Tensor mean = x.mean(dims);
  const at::Tensor variance = x.var(dims, /*unbiased=*/false);
  const at::Tensor y =
      at::batch_norm(x, call.in(1), call.in(2), mean, variance, false, 0, call.real("epsilon", 1e-5), false);
  return {y, call.in(3) * momentum + mean * (1 - momentum),
          call.in(4) * momentum + variance * (1 - momentum)};
}

Tensors batch_norm(const Call& call) {
  if (call.flag("training_mode")) return batch_norm_training(call);
  if (call.opset() < 9 && !call.flag("spatial", true)) call.fail("attribute 'spatial' is 0: not supported");
  return {at::batch_norm(call.in(0), call.in(1), call.in(2), call.in(3), call.in(4), false, 0,
                         call.real("epsilon", 1e-5), false)};
}

Tensors instance_norm(const Call& call) {
  return {at::instance_norm(call.in(0), call.in(1), call.in(2), {}, {}, true, 0, call.real("epsilon", 1e-5),
                            false)};
}

Tensors layer_norm(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = axis_of(call, call.integer("axis", -1), x.dim());
  const auto shape = x.sizes().slice(static_cast<std::size_t>(axis));
  const double epsilon = call.real("epsilon", 1e-5);
  const at::Tensor scale = call.optional_in(1);
  const at::Tensor bias = call.optional_in(2);
  const bool plain =
      (!scale.defined() || scale.sizes() == shape) && (!bias.defined() || bias.sizes() == shape);
  auto [y, mean, deviation] =
      at::native_layer_norm(x, shape, plain ? scale : at::Tensor(), plain ? bias : at::Tensor(), epsilon);
  if (!plain && scale.defined()) y = y * scale;
  if (!plain && bias.defined()) y = y + bias;
  return {y, mean, deviation};
}

// y = x / √(mean of x² + ε) · scale, over the dimensions from `axis` on.
Tensors rms_norm(const Call& call) {
  const at::Tensor& x = call.in(0);
  Sizes dims;
  for (auto i = axis_of(call, call.integer("axis", -1), x.dim()); i < x.dim(); ++i) dims.push_back(i);
  return {x * at::rsqrt((x * x).mean(dims, true) + call.real("epsilon", 1e-5)) * call.in(1)};
}

// Scale and bias are per group in opset 18, per channel since opset 21.
Tensors group_norm(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto groups = call.integer("num_groups", 0);
  if (x.dim() < 2 || groups < 1 || x.size(1) % groups != 0) {
    call.fail("attribute 'num_groups' does not divide the number of channels");
  }
  const auto widened = [&](const at::Tensor& v) {
    return v.numel() == x.size(1) ? v : v.repeat_interleave(x.size(1) / groups);
  };
  return {
      at::group_norm(x, groups, widened(call.in(1)), widened(call.in(2)), call.real("epsilon", 1e-5), false)};
}

// y = x / (bias + alpha/size · Σ x²)^beta, the sum over `size` neighbouring channels.
Tensors local_response_norm(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto size = call.integer("size", 0);
  if (size < 1 || x.dim() < 2) call.fail("attribute 'size' must be >= 1");
  const auto before = (size - 1) / 2;
  const auto farthest = x.size(1) - 1;  // neighbours beyond the last channel add nothing
  const at::Tensor squares = x * x;
  at::Tensor sums = squares;
  for (auto shift = -std::min(before, farthest); shift <= std::min(size - before - 1, farthest); ++shift) {
    const auto width = x.size(1) - std::abs(shift);
    if (shift == 0) continue;
    Sizes pads(static_cast<std::size_t>(2 * (x.dim() - 1)), 0);
    pads[pads.size() - 2] = shift < 0 ? -shift : 0;
    pads[pads.size() - 1] = shift > 0 ? shift : 0;
    sums = sums + at::constant_pad_nd(squares.narrow(1, shift > 0 ? shift : 0, width), pads, 0);
  }
  const at::Tensor scale =
      (sums * (call.real("alpha", 1e-4) / static_cast<double>(size)) + call.real("bias", 1))
          .pow(call.real("beta", 0.75));
  return {x / scale};
}

Tensors mean_variance_norm(const Call& call) {
  const at::Tensor& x = call.in(0);
  const Sizes axes = call.integers("axes", {0, 2, 3});
  const at::Tensor centred = x - x.mean(axes, true);
  return {centred / ((centred * centred).mean(axes, true).sqrt() + 1e-9)};
}

Tensors lp_norm(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = axis_of(call, call.integer("axis", -1), x.dim());
  const auto p = call.integer("p", 2);
  if (p != 1 && p != 2) call.fail("attribute 'p' must be 1 or 2");
  const at::Tensor norm = p == 1 ? x.abs().sum({axis}, true) : (x * x).sum({axis}, true).sqrt();
  return {x / at::where(norm == 0, at::ones_like(norm), norm)};
}

// Since opset 13 along one axis (default the last); before, the tensor was made a matrix at `axis` (default
// 1).
template <typename Function>
Tensors along_axis(const Call& call, Function function) {
  const at::Tensor& x = call.in(0);
  const bool old = call.opset() < 13;
  const auto wanted = call.integer("axis", old ? 1 : -1);
  if (!old) return {function(x, axis_of(call, wanted, x.dim()))};
  // Here axis == rank is allowed: rows of one element.
  const auto axis = wanted == x.dim() ? wanted : axis_of(call, wanted, x.dim());
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

constexpr OpEntry kNormalizeOps[] = {{"BatchNormalization", batch_norm, {5, 5, 5}},
                                     {"GroupNormalization", group_norm, {3, 3}},
                                     {"Hardmax", hardmax},
                                     {"InstanceNormalization", instance_norm, {3, 3}},
                                     {"LRN", local_response_norm},
                                     {"LayerNormalization", layer_norm, {2, 3, 3}},
                                     {"LogSoftmax", log_softmax},
                                     {"LpNormalization", lp_norm},
                                     {"MeanVarianceNormalization", mean_variance_norm},
                                     {"RMSNormalization", rms_norm, {2, 2}},
                                     {"Softmax", softmax}};

}  // namespace

std::span<const OpEntry> normalize_ops() { return kNormalizeOps; }

}  // namespace atcav::plugin
