#include <cmath>

#include "plugins/torch/exec/table.h"
#include "plugins/torch/exec/tensor_torch.h"

// Fourier transforms, windows and what audio models are made of. Complex numbers are two reals in a last
// dimension.
namespace atcav::plugin {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Σ coefficient · cos(2π·i·n / N), N one less where the window is symmetric.
Tensors window(const Call& call, const std::vector<double>& coefficients) {
  const auto size = call.integer_in(0);
  check_size(call, {size});
  const double period = static_cast<double>(call.flag("periodic", true) ? size : size - 1);
  const at::Tensor n = at::arange(size, at::TensorOptions().dtype(at::kDouble));
  at::Tensor y = at::zeros_like(n);
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    y = y + coefficients[i] * at::cos(n * (2 * kPi * static_cast<double>(i) / period));
  return {
      y.to(scalar_type(static_cast<onnx::Type>(call.integer("output_datatype", 1)), call.node().title()))};
}

Tensors hann(const Call& call) { return window(call, {0.5, -0.5}); }
Tensors hamming(const Call& call) { return window(call, {25.0 / 46, -21.0 / 46}); }
Tensors blackman(const Call& call) { return window(call, {0.42, -0.5, 0.08}); }

at::Tensor as_complex(const Call& call, const at::Tensor& x) {
  if (x.dim() < 2 || x.size(-1) > 2) call.fail("the last size of its input must be 1 or 2");
  const at::Tensor real = x.select(-1, 0);
  return at::complex(real, x.size(-1) == 2 ? x.select(-1, 1) : at::zeros_like(real));
}

Tensors dft(const Call& call) {
  const at::Tensor& x = call.in(0);
  const bool inverse = call.flag("inverse");
  const bool one_sided = call.flag("onesided");
  const auto wanted = call.opset() < 20 ? call.integer("axis", 1) : call.has(2) ? call.integer_in(2) : -2;
  const auto axis = axis_of(call, wanted, x.dim());
  if (axis == x.dim() - 1) call.fail("the last dimension holds complex numbers");
  const bool to_real = inverse && one_sided;
  const auto length = call.has(1) ? call.integer_in(1) : to_real ? 2 * (x.size(axis) - 1) : x.size(axis);
  if (length < 1) call.fail("the length must be > 0");
  check_size(call, {length});
  // In double: sums that cancel to nothing leave nothing.
  const at::Tensor signal = as_complex(call, x.to(at::kDouble));
  if (to_real) return {at::fft_irfft(signal, length, axis).unsqueeze(-1).to(x.scalar_type())};
  const at::Tensor y = inverse ? at::fft_ifft(signal, length, axis) : at::fft_fft(signal, length, axis);
  return {at::view_as_real(one_sided ? y.narrow(axis, 0, length / 2 + 1) : y).to(x.scalar_type())};
}

Tensors stft(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto step = call.integer_in(1);
  const auto length = call.has(3) ? call.integer_in(3) : call.has(2) ? call.in(2).size(0) : 0;
  if (x.dim() != 3 || step < 1 || length < 1 || length > x.size(1))
    call.fail("frame step or length do not fit");
  at::Tensor frames = as_complex(call, x).unfold(1, length, step);
  if (call.has(2)) frames = frames * call.in(2);
  const at::Tensor y = at::fft_fft(frames, length, 2);
  return {at::view_as_real(call.flag("onesided", true) ? y.narrow(2, 0, length / 2 + 1) : y)};
}

// Triangles on the mel scale: frequencies × mel bins.
Tensors mel_weights(const Call& call) {
  const auto bins = call.integer_in(0);
  const auto length = call.integer_in(1);
  const auto rate = call.number_in(2);
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mel(call.number_in(3));
  const double step = (mel(call.number_in(4)) - low) / static_cast<double>(bins + 2);
  const auto frequencies = length / 2 + 1;
  check_size(call, {frequencies, bins});
  const auto place = [&](std::int64_t i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + low) / 2595) - 1);
    return static_cast<std::int64_t>(std::floor(static_cast<double>(length + 1) * hertz / rate));
  };
  const at::Tensor weights = at::zeros({frequencies, bins}, at::TensorOptions().dtype(at::kDouble));
  auto* elements = weights.data_ptr<double>();
  const auto set = [&](std::int64_t j, std::int64_t i, double value) {
    if (j < 0 || j >= frequencies) call.fail("the frequencies lie outside the transform");
    elements[j * bins + i] = value;
  };
  for (std::int64_t i = 0; i < bins; ++i) {
    const auto lower = place(i);
    const auto centre = place(i + 1);
    const auto higher = place(i + 2);
    if (lower == centre) set(centre, i, 1);
    for (auto j = lower; lower < centre && j <= centre; ++j)
      set(j, i, static_cast<double>(j - lower) / static_cast<double>(centre - lower));
    for (auto j = centre; j < higher; ++j)
      set(j, i, static_cast<double>(higher - j) / static_cast<double>(higher - centre));
  }
  return {weights.to(
      scalar_type(static_cast<onnx::Type>(call.integer("output_datatype", 1)), call.node().title()))};
}

constexpr OpEntry kSignalOps[] = {
    {"BlackmanWindow", blackman, {}, kHost},         {"DFT", dft, {1, 3}, kHost},
    {"HammingWindow", hamming, {}, kHost},           {"HannWindow", hann, {}, kHost},
    {"MelWeightMatrix", mel_weights, {5, 5}, kHost}, {"STFT", stft, {2, 4}}};

}  // namespace

std::span<const OpEntry> signal_ops() { return kSignalOps; }

}  // namespace atcav::plugin
