#include <algorithm>

#include "plugins/torch/ops/table.h"

// Matrix products.
namespace atcav::plugin {
namespace {

// alpha·A'·B' + beta·C
Tensors gemm(const Call& call) {
  const at::Tensor a = call.integer("transA", 0) != 0 ? call.in(0).t() : call.in(0);
  const at::Tensor b = call.integer("transB", 0) != 0 ? call.in(1).t() : call.in(1);
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

constexpr OpEntry kOps[] = {{"Det", det}, {"Einsum", einsum}, {"Gemm", gemm}, {"MatMul", matmul}};

}  // namespace

std::span<const OpEntry> linear_ops() { return kOps; }

}  // namespace atcav::plugin
