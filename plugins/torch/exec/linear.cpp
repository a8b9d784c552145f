#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>

#include "plugins/torch/exec/table.h"
#include "plugins/torch/exec/window.h"

// Matrix products, and convolutions in one to three dimensions, forward and transposed.
namespace atcav::plugin {
namespace {

// alpha·A'·B' + beta·C
Tensors gemm(const Call& call) {
  const at::Tensor a = call.flag("transA") ? call.in(0).t() : call.in(0);
  const at::Tensor b = call.flag("transB") ? call.in(1).t() : call.in(1);
  const double alpha = call.real("alpha", 1);
  const double beta = call.real("beta", 1);
  if (at::isIntegralType(a.scalar_type(), false)) {
    const at::Tensor product = at::matmul(a, b) * static_cast<std::int64_t>(alpha);
    return {call.has(2) ? product + call.in(2) * static_cast<std::int64_t>(beta) : product};
  }
  if (!call.has(2)) {
    const at::Tensor product = at::matmul(a, b);
    return {alpha == 1 ? product : product * alpha};
  }
  return {at::addmm(call.in(2), a, b, beta, alpha)};
}

Tensors matmul(const Call& call) { return {at::matmul(call.in(0), call.in(1))}; }

Tensors einsum(const Call& call) {
  std::string equation = call.text("equation", "");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  return {at::einsum(equation, call.inputs())};
}

Tensors det(const Call& call) { return {at::det(call.in(0))}; }

Sizes spatial(const at::Tensor& x) { return x.dim() > 2 ? x.sizes().slice(2).vec() : Sizes(); }

// With one thread and few examples ATen has an algorithm of its own for filters of one pixel, unless they are
// dilated: slower ten times, and its rounding would make results depend on the number of threads. Such
// filters are the same under any dilation.
void keep_algorithm(Window& window, const at::Tensor& x) {
  const bool one_pixel = std::ranges::all_of(window.kernel, [](auto side) { return side == 1; });
  if (one_pixel && x.is_cpu()) std::ranges::fill(window.dilation, 2);
}

Tensors conv(const Call& call) {
  const at::Tensor& x = call.in(0);
  const at::Tensor& weight = call.in(1);
  Window window = read_window(call, x, spatial(weight));
  keep_algorithm(window, x);
  const auto groups = call.integer("group", 1);
  const Sizes none(window.rank(), 0);
  const bool symmetric = window.symmetric();
  const at::Tensor padded = symmetric ? x : pad_spatial(x, window.begin, window.end, 0);
  return {at::convolution(padded, weight, call.optional_in(2), window.stride, symmetric ? window.begin : none,
                          window.dilation, false, none, groups)};
}

Sizes conv_sizes(const at::Tensor& x, const at::Tensor& weight, const Window& window) {
  Sizes sizes = {x.size(0), weight.size(0)};
  for (std::size_t i = 0; i < window.rank(); ++i) {
    const auto padded = x.size(static_cast<std::int64_t>(i) + 2) + window.begin[i] + window.end[i];
    sizes.push_back((padded - window.span(i)) / window.stride[i] + 1);
  }
  return sizes;
}

// oneDNN's convolution with what comes behind it, in LibTorch since 2.0. Called by its name, because its C++
// type changes from version to version.
std::optional<c10::OperatorHandle> onednn_convolution(bool adds) {
  const auto found =
      c10::Dispatcher::singleton().findSchema({"mkldnn::_convolution_pointwise", adds ? "binary" : ""});
  return at::hasMKLDNN() && found ? std::make_optional(*found) : std::nullopt;
}

at::Tensor onednn_conv_relu(const c10::OperatorHandle& convolution, const at::Tensor& x, const at::Tensor& z,
                            const at::Tensor& weight, const at::Tensor& bias, const Window& window,
                            std::int64_t groups) {
  const c10::impl::GenericList no_scalars(c10::OptionalType::create(c10::NumberType::get()));
  std::vector<c10::IValue> stack = {x};
  if (z.defined()) stack.emplace_back(z);
  stack.insert(stack.end(), {weight, bias, window.begin, window.stride, window.dilation, groups});
  if (z.defined()) stack.insert(stack.end(), {"add", 1.0});
  stack.insert(stack.end(), {"relu", no_scalars, ""});
  convolution.callBoxed(&stack);
  return stack.front().toTensor();
}

// One kernel where there is one: it makes a ResNet twice as fast on a GPU, and 4 % faster on the CPU.
// Undefined elsewhere.
at::Tensor conv_relu_in_one(const Call& call, const at::Tensor& z) {
  const at::Tensor& x = call.in(0);
  const at::Tensor& weight = call.in(1);
  const bool fitting = x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16;
  const auto on_cpu = x.is_cpu() && fitting ? onednn_convolution(z.defined()) : std::nullopt;
  const auto groups = call.integer("group", 1);
  if (!(x.is_cuda() || on_cpu) || x.dim() != 4 || !call.has(2) || groups != 1) return {};
  const Window window = read_window(call, x, spatial(weight));
  const bool fits =
      !z.defined() || (z.scalar_type() == x.scalar_type() && z.sizes() == conv_sizes(x, weight, window));
  if (!window.symmetric() || !fits) return {};
  const at::Tensor& bias = call.in(2);
  if (on_cpu) return onednn_conv_relu(*on_cpu, x, z, weight, bias, window, groups);
  if (z.defined()) {
    return at::cudnn_convolution_add_relu(x, weight, z, 1, bias, window.stride, window.begin, window.dilation,
                                          1);
  }
  return at::cudnn_convolution_relu(x, weight, bias, window.stride, window.begin, window.dilation, 1);
}

// relu(conv(x) + z), z may be left out. What is one kernel has no derivative, so where gradients are recorded
// the three steps are taken one by one.
Tensors conv_relu(const Call& call) {
  const at::Tensor z = call.optional_in(3);
  const bool recorded =
      at::GradMode::is_enabled() && (call.in(0).requires_grad() || (z.defined() && z.requires_grad()));
  if (!recorded) {
    if (at::Tensor y = conv_relu_in_one(call, z); y.defined()) return {y};
  }
  at::Tensor y = conv(call).front();
  if (z.defined()) y = y.sizes() == z.sizes() && !recorded ? y.add_(z) : y + z;
  return {y.relu_()};
}

// Padding of a transposed convolution: how much of the full result is cut off at either side.
struct Cut {
  Sizes begin, end;
};

Cut cut_of(const Call& call, const Window& window, const at::Tensor& x, const Sizes& extra) {
  Cut cut{window.begin, window.end};
  const std::string mode = call.text("auto_pad", "NOTSET");
  const Sizes wanted = call.integers("output_shape");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (wanted.empty() && !same) return cut;
  if (!wanted.empty() && wanted.size() < window.rank()) call.fail("attribute 'output_shape' is too short");
  for (std::size_t i = 0; i < window.rank(); ++i) {
    const auto size = x.size(static_cast<std::int64_t>(i) + 2);
    const auto full = (size - 1) * window.stride[i] + window.span(i) + extra[i];
    // Some writers give N and C as well.
    const auto target = wanted.empty() ? size * window.stride[i] : wanted[wanted.size() - window.rank() + i];
    const auto total = full - target;
    cut.begin[i] = mode == "SAME_LOWER" ? total - total / 2 : total / 2;
    cut.end[i] = total - cut.begin[i];
  }
  return cut;
}

Tensors conv_transpose(const Call& call) {
  const at::Tensor& x = call.in(0);
  const at::Tensor& weight = call.in(1);
  const Window window = read_window(call, x, spatial(weight));
  const std::size_t rank = window.rank();
  const auto groups = call.integer("group", 1);
  const Sizes none(rank, 0);
  const Sizes extra = call.integers("output_padding", none);
  if (extra.size() != rank) call.fail("attribute 'output_padding' has the wrong length");
  Cut cut = cut_of(call, window, x, extra);
  at::Tensor y = at::convolution(x, weight, {}, window.stride, none, window.dilation, true, none, groups);
  for (std::size_t i = 0; i < rank; ++i) {
    cut.begin[i] = -cut.begin[i];
    cut.end[i] = extra[i] - cut.end[i];
  }
  y = pad_spatial(y, cut.begin, cut.end, 0);
  if (!call.has(2)) return {y};
  return {y + call.in(2).reshape(shape_on_axis(y.dim(), 1, -1))};
}

constexpr OpEntry kLinearOps[] = {{"Conv", conv, {2, 3}}, {"ConvTranspose", conv_transpose, {2, 3}},
                                  {"Det", det},           {"Einsum", einsum, kAll},
                                  {"Gemm", gemm, {2, 3}}, {"MatMul", matmul, {2, 2}}};

constexpr OpEntry kConvRelu = {"ConvRelu", conv_relu, {2, 4}};

}  // namespace

const OpEntry& conv_relu_op() { return kConvRelu; }
bool has_conv_relu(const at::Device& device) {
  return device.is_cuda() || onednn_convolution(true).has_value();
}

std::span<const OpEntry> linear_ops() { return kLinearOps; }

}  // namespace atcav::plugin
