#include "plugins/torch/ops/index_nd.h"
#include "plugins/torch/ops/table.h"

// Writing elements by index.
namespace atcav::plugin {
namespace {

// ATen's name for ONNX's reduction; empty for plain assignment.
std::string reduction_name(const Call& call) {
  const std::string name = call.text("reduction", "none");
  if (name == "none") return "";
  if (name == "add") return "sum";
  if (name == "mul") return "prod";
  if (name == "max") return "amax";
  if (name == "min") return "amin";
  call.fail("attribute 'reduction' is '" + name + "'");
}

at::Tensor scattered(const at::Tensor& x, std::int64_t axis, const at::Tensor& index,
                     const at::Tensor& updates, const std::string& reduction) {
  if (reduction.empty()) return x.scatter(axis, index, updates);
  if (reduction == "sum") return x.scatter_add(axis, index, updates);
  return x.scatter_reduce(axis, index, updates, reduction, /*include_self=*/true);
}

Tensors scatter_elements(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = call.axis(call.integer("axis", 0), x.dim());
  return {scattered(x, axis, wrapped(call.in(1), x.size(axis)), call.in(2), reduction_name(call))};
}

Tensors scatter_nd(const Call& call) {
  const at::Tensor& x = call.in(0);
  const at::Tensor& index = call.in(1);
  if (index.dim() < 1 || index.size(-1) > x.dim()) call.fail("indices do not fit the data");
  const Sizes shape = x.sizes().vec();
  const auto used = static_cast<std::size_t>(index.size(-1));
  const at::Tensor flat =
      rows_of(x, shape, used).reshape({-1, c10::multiply_integers(x.sizes().slice(used))});
  const at::Tensor rows = row_numbers(index, shape).reshape({-1, 1}).expand({-1, flat.size(1)});
  const at::Tensor updates = call.in(2).reshape(rows.sizes());
  return {scattered(flat, 0, rows, updates, reduction_name(call)).reshape(shape)};
}

constexpr OpEntry kOps[] = {
    {"Scatter", scatter_elements}, {"ScatterElements", scatter_elements}, {"ScatterND", scatter_nd}};

}  // namespace

std::span<const OpEntry> scatter_ops() { return kOps; }

}  // namespace atcav::plugin
