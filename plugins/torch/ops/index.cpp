#include <fmt/format.h>

#include <numeric>

#include "plugins/torch/ops/index_nd.h"
#include "plugins/torch/ops/table.h"

// Reading elements by index.
namespace atcav::plugin {
namespace {

Tensors gather(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = call.axis(call.integer("axis", 0), x.dim());
  const at::Tensor index = wrapped(call.in(1), x.size(axis));
  Sizes shape = x.sizes().slice(0, static_cast<std::size_t>(axis)).vec();
  shape.insert(shape.end(), index.sizes().begin(), index.sizes().end());
  const auto rest = x.sizes().slice(static_cast<std::size_t>(axis) + 1);
  shape.insert(shape.end(), rest.begin(), rest.end());
  return {x.index_select(axis, index.flatten()).reshape(shape)};
}

Tensors gather_elements(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = call.axis(call.integer("axis", 0), x.dim());
  return {at::gather(x, axis, wrapped(call.in(1), x.size(axis)))};
}

Tensors gather_nd(const Call& call) {
  const at::Tensor& x = call.in(0);
  const at::Tensor& index = call.in(1);
  const auto batch = call.integer("batch_dims", 0);
  if (index.dim() < 1 || batch < 0 || batch >= std::min(x.dim(), index.dim()) ||
      index.size(-1) > x.dim() - batch) {
    call.fail("indices or attribute 'batch_dims' do not fit the data");
  }
  // The batch dimensions become one more index coordinate.
  const auto batches = c10::multiply_integers(x.sizes().slice(0, static_cast<std::size_t>(batch)));
  Sizes flat = {batches};
  flat.insert(flat.end(), x.sizes().begin() + batch, x.sizes().end());
  Sizes index_flat = {batches};
  index_flat.insert(index_flat.end(), index.sizes().begin() + batch, index.sizes().end());
  const at::Tensor inner = index.reshape(index_flat);
  Sizes counter(index_flat.size(), 1);
  counter[0] = batches;
  Sizes number_shape = index_flat;
  number_shape.back() = 1;
  const at::Tensor numbers = at::arange(batches, inner.options()).reshape(counter).expand(number_shape);
  const at::Tensor rows = row_numbers(at::cat({numbers, inner}, -1), flat);
  const auto used = static_cast<std::size_t>(index.size(-1)) + 1;
  Sizes row_shape(flat.begin() + static_cast<std::ptrdiff_t>(used), flat.end());
  Sizes shape(index.sizes().begin(), index.sizes().end() - 1);
  shape.insert(shape.end(), row_shape.begin(), row_shape.end());
  return {rows_of(x, flat, used).index_select(0, rows.flatten()).reshape(shape)};
}

Tensors one_hot(const Call& call) {
  const auto depth = static_cast<std::int64_t>(call.number_in(1));
  const at::Tensor values = call.in(2).to(call.in(0).device());
  const at::Tensor index = call.in(0).to(at::kLong);
  const auto axis = call.axis(call.integer("axis", -1), index.dim() + 1);
  Sizes shape = index.sizes().vec();
  shape.insert(shape.begin() + axis, depth);
  call.check_size(shape);
  Sizes counter(shape.size(), 1);
  counter[static_cast<std::size_t>(axis)] = depth;
  const at::Tensor positions = at::arange(depth, index.options()).reshape(counter);
  const at::Tensor hit = wrapped(index, depth).unsqueeze(axis) == positions;
  return {at::where(hit, values.select(0, 1), values.select(0, 0))};
}

Tensors non_zero(const Call& call) { return {at::nonzero(call.in(0)).t()}; }

constexpr OpEntry kOps[] = {
    {"Gather", gather},    {"GatherElements", gather_elements},     {"GatherND", gather_nd},
    {"NonZero", non_zero}, {"OneHot", one_hot, Arguments::kOnHost},
};

}  // namespace

std::span<const OpEntry> index_ops() { return kOps; }

}  // namespace atcav::plugin
