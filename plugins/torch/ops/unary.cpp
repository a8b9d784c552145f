#include "plugins/torch/ops/table.h"

// Functions of one number, element by element.
namespace atcav::plugin {
namespace {

// Most of these are one ATen call.
template <at::Tensor (*function)(const at::Tensor&)>
Tensors apply(const Call& call) {
  return {function(call.in(0))};
}

Tensors is_inf(const Call& call) {
  const at::Tensor& x = call.in(0);
  at::Tensor found = at::zeros_like(x, x.options().dtype(at::kBool));
  if (call.integer("detect_positive", 1) != 0) found = found.logical_or(at::isposinf(x));
  if (call.integer("detect_negative", 1) != 0) found = found.logical_or(at::isneginf(x));
  return {found};
}

constexpr OpEntry kOps[] = {
    {"Abs", apply<at::abs>},
    {"Acos", apply<at::acos>},
    {"Acosh", apply<at::acosh>},
    {"Asin", apply<at::asin>},
    {"Asinh", apply<at::asinh>},
    {"Atan", apply<at::atan>},
    {"Atanh", apply<at::atanh>},
    {"BitwiseNot", apply<at::bitwise_not>},
    {"Ceil", apply<at::ceil>},
    {"Cos", apply<at::cos>},
    {"Cosh", apply<at::cosh>},
    {"Erf", apply<at::erf>},
    {"Exp", apply<at::exp>},
    {"Floor", apply<at::floor>},
    {"IsInf", is_inf},
    {"IsNaN", apply<at::isnan>},
    {"Log", apply<at::log>},
    {"Neg", apply<at::neg>},
    {"Not", apply<at::logical_not>},
    {"Reciprocal", apply<at::reciprocal>},
    {"Round", apply<at::round>},
    {"Sign", apply<at::sign>},
    {"Sin", apply<at::sin>},
    {"Sinh", apply<at::sinh>},
    {"Sqrt", apply<at::sqrt>},
    {"Tan", apply<at::tan>},
    {"Tanh", apply<at::tanh>},
};

}  // namespace

std::span<const OpEntry> unary_ops() { return kOps; }

}  // namespace atcav::plugin
