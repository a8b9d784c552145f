#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "plugins/torch/exec/table.h"
#include "tests/support/onnx_model.h"

// Running one op, and its gradient against central differences.
namespace atcav::testing_support {

struct OpCase {
  std::string op;
  std::vector<onnx::Attribute> attributes = {};
  std::int64_t opset = 17;
  std::size_t outputs = 1;
};

inline plugin::Tensors run_op(const OpCase& op, plugin::Tensors inputs) {
  onnx::Node node = testing_support::node(op.op, {}, {}, op.attributes, "tested");
  node.outputs.resize(op.outputs, "y");
  const plugin::OpEntry* entry = plugin::find_op(node);
  if (entry == nullptr) throw std::runtime_error("no op " + op.op);
  return entry->function(plugin::Call(node, op.opset, std::move(inputs)));
}

// Double numbers from −1 to 1 that look random, no two alike, none near 0 (where |x| and relu have kinks).
inline at::Tensor numbers(const plugin::Sizes& shape, double seed = 0) {
  const auto count = c10::multiply_integers(shape);
  const at::Tensor turns = at::arange(1, count + 1, at::kDouble) * (0.6180339887 + 0.01 * seed);
  const at::Tensor x = 2 * at::frac(turns) - 1;
  return (x + 0.02 * x.sign()).reshape(shape);
}

// Largest difference between autograd's gradient of Σ w·y with respect to input `which` and central
// differences with step 1e-5 in double; their own error is about 1e-10 times the third derivative.
inline double gradient_error(const OpCase& op, const plugin::Tensors& inputs, std::size_t which = 0) {
  const auto total = [&](const at::Tensor& x) {
    plugin::Tensors changed = inputs;
    changed[which] = x;
    const at::Tensor y = run_op(op, changed).front();
    return (y * numbers(y.sizes().vec(), 3)).sum();
  };
  const at::Tensor x = inputs[which].detach().clone().set_requires_grad(true);
  const at::AutoGradMode with_grad(true);
  const at::Tensor gradient = torch::autograd::grad({total(x)}, {x})[0];
  const at::NoGradGuard no_grad;
  constexpr double kStep = 1e-5;
  double worst = 0;
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const auto moved = [&](double step) {
      at::Tensor copy = x.detach().clone();
      copy.view({-1})[i] += step;
      return total(copy).item<double>();
    };
    const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
    worst = std::max(worst, std::abs(slope - gradient.reshape({-1})[i].item<double>()));
  }
  return worst;
}

inline void expect_values(const at::Tensor& got, const plugin::Sizes& shape,
                          const std::vector<double>& expected, double tolerance = 1e-6) {
  ASSERT_EQ(got.sizes().vec(), shape);
  const at::Tensor flat = got.to(at::kDouble).reshape({-1});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(flat[static_cast<std::int64_t>(i)].item<double>(), expected[i], tolerance) << "element " << i;
  }
}

}  // namespace atcav::testing_support
