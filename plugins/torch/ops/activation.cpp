#include "plugins/torch/ops/table.h"

// Activation functions.
namespace atcav::plugin {
namespace {

Tensors relu(const Call& call) {
  if (call.may_overwrite()) return {at::Tensor(call.in(0)).relu_()};
  return {at::relu(call.in(0))};
}

Tensors sigmoid(const Call& call) { return {at::sigmoid(call.in(0))}; }
Tensors softplus(const Call& call) { return {at::softplus(call.in(0))}; }
Tensors softsign(const Call& call) { return {call.in(0) / (1 + call.in(0).abs())}; }
Tensors mish(const Call& call) { return {at::mish(call.in(0))}; }

Tensors leaky_relu(const Call& call) { return {at::leaky_relu(call.in(0), call.real("alpha", 0.01))}; }
Tensors elu(const Call& call) { return {at::elu(call.in(0), call.real("alpha", 1))}; }
Tensors celu(const Call& call) { return {at::celu(call.in(0), call.real("alpha", 1))}; }

Tensors selu(const Call& call) {
  return {at::elu(call.in(0), call.real("alpha", 1.67326319217681884765625),
                  call.real("gamma", 1.05070102214813232421875))};
}

Tensors gelu(const Call& call) {
  const std::string approximate = call.text("approximate", "none");
  if (approximate == "none") return {at::gelu(call.in(0), "none")};
  if (approximate == "tanh") return {at::gelu(call.in(0), "tanh")};
  call.fail("attribute 'approximate' is '" + approximate + "', must be none or tanh");
}

at::Tensor hard_sigmoid_of(const at::Tensor& x, double alpha, double beta) {
  return at::clamp(x * alpha + beta, 0, 1);
}

Tensors hard_sigmoid(const Call& call) {
  return {hard_sigmoid_of(call.in(0), call.real("alpha", 0.2), call.real("beta", 0.5))};
}

Tensors hard_swish(const Call& call) { return {call.in(0) * hard_sigmoid_of(call.in(0), 1.0 / 6, 0.5)}; }

Tensors thresholded_relu(const Call& call) {
  const at::Tensor& x = call.in(0);
  return {at::where(x > call.real("alpha", 1), x, at::zeros_like(x))};
}

Tensors shrink(const Call& call) {
  const double limit = call.real("lambd", 0.5);
  const double bias = call.real("bias", 0);
  const at::Tensor& x = call.in(0);
  const at::Tensor high = at::where(x > limit, x - bias, at::zeros_like(x));
  return {at::where(x < -limit, x + bias, high).to(x.scalar_type())};
}

Tensors prelu(const Call& call) {
  const at::Tensor& x = call.in(0);
  at::Tensor slope = call.in(1);
  // Before opset 7, and in what some exporters still write, the slope is one number per channel.
  if (slope.dim() == 1 && x.dim() > 2 && slope.numel() == x.size(1)) {
    Sizes shape(static_cast<std::size_t>(x.dim()), 1);
    shape[1] = slope.numel();
    slope = slope.reshape(shape);
  }
  return {at::where(x >= 0, x, slope * x)};
}

// Limits are attributes before opset 11, inputs since.
Tensors clip(const Call& call) {
  std::optional<double> low;
  std::optional<double> high;
  if (call.has(1)) low = call.number_in(1);
  if (call.has(2)) high = call.number_in(2);
  if (call.has_attribute("min")) low = call.real("min", 0);
  if (call.has_attribute("max")) high = call.real("max", 0);
  const at::Tensor& x = call.in(0);
  if (!low && !high) return {x};
  c10::optional<at::Scalar> least;
  c10::optional<at::Scalar> most;
  const bool whole = at::isIntegralType(x.scalar_type(), true);
  if (low) least = whole ? at::Scalar(static_cast<std::int64_t>(*low)) : at::Scalar(*low);
  if (high) most = whole ? at::Scalar(static_cast<std::int64_t>(*high)) : at::Scalar(*high);
  if (call.may_overwrite()) return {at::Tensor(x).clamp_(least, most)};
  return {at::clamp(x, least, most)};
}

constexpr OpEntry kOps[] = {
    {"Celu", celu},
    {"Clip", clip, Arguments::kOnHost},
    {"Elu", elu},
    {"Gelu", gelu},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", hard_swish},
    {"LeakyRelu", leaky_relu},
    {"Mish", mish},
    {"PRelu", prelu},
    {"Relu", relu},
    {"Selu", selu},
    {"Shrink", shrink},
    {"Sigmoid", sigmoid},
    {"Softplus", softplus},
    {"Softsign", softsign},
    {"ThresholdedRelu", thresholded_relu},
};

}  // namespace

std::span<const OpEntry> activation_ops() { return kOps; }

}  // namespace atcav::plugin
