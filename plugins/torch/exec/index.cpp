#include "plugins/torch/exec/table.h"

// Reading and writing elements by index. For GatherND and ScatterND the first k dimensions of a tensor are
// flattened to rows, and k-tuples of indices to row numbers.
namespace atcav::plugin {
namespace {

// int64, negative ones counted from the end.
at::Tensor wrapped(const at::Tensor& index, std::int64_t size) {
  const at::Tensor whole = index.to(at::kLong);
  return at::where(whole < 0, whole + size, whole);
}

// index[..., k] → row numbers [...] among the product of the first k sizes of `shape`.
at::Tensor row_numbers(const at::Tensor& index, const Sizes& shape) {
  Sizes shape_of_rows(index.sizes().begin(), index.sizes().end() - 1);
  at::Tensor row = at::zeros(shape_of_rows, index.options().dtype(at::kLong));
  for (std::int64_t i = 0; i < index.size(-1); ++i) {
    const auto size = shape[i];
    const at::Tensor coordinate = wrapped(index.select(-1, i), size);
    TORCH_CHECK_INDEX(coordinate.numel() == 0 || (coordinate.min().item<std::int64_t>() >= 0 &&
                                                  coordinate.max().item<std::int64_t>() < size),
                      "an index lies outside [", -size, ", ", size, ")");
    row = row * size + coordinate;
  }
  return row;
}

// x of `shape` with its first k dimensions made one.
at::Tensor rows_of(const at::Tensor& x, const Sizes& shape, std::size_t k) {
  Sizes flat = {c10::multiply_integers(c10::IntArrayRef(shape).slice(0, k))};
  flat.insert(flat.end(), shape.begin() + static_cast<std::ptrdiff_t>(k), shape.end());
  return x.reshape(flat);
}

Tensors gather(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = axis_of(call, call.integer("axis", 0), x.dim());
  const BatchScale& scale = call.scale();
  const auto size = scale.dim < 0 ? x.size(axis) : x.size(axis) * scale.base / scale.batch;
  at::Tensor index = wrapped(call.in(1), size);
  if (scale.dim >= 0) {  // the same elements of each example
    Tensors all;
    for (std::int64_t i = 0; i < scale.batch / scale.base; ++i) all.push_back(index + i * size);
    index = at::cat(all, 0);
  }
  Sizes shape = x.sizes().slice(0, static_cast<std::size_t>(axis)).vec();
  shape.insert(shape.end(), index.sizes().begin(), index.sizes().end());
  const auto rest = x.sizes().slice(static_cast<std::size_t>(axis) + 1);
  shape.insert(shape.end(), rest.begin(), rest.end());
  return {x.index_select(axis, index.flatten()).reshape(shape)};
}

Tensors gather_elements(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = axis_of(call, call.integer("axis", 0), x.dim());
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
  const Sizes counter = shape_on_axis(inner.dim(), 0, batches);
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
  const auto depth = call.integer_in(1);
  const at::Tensor values = call.in(2).to(call.in(0).device());
  const at::Tensor index = call.in(0).to(at::kLong);
  const auto axis = axis_of(call, call.integer("axis", -1), index.dim() + 1);
  Sizes shape = index.sizes().vec();
  shape.insert(shape.begin() + axis, depth);
  check_size(call, shape);
  const at::Tensor positions =
      at::arange(depth, index.options()).reshape(shape_on_axis(std::ssize(shape), axis, depth));
  const at::Tensor hit = wrapped(index, depth).unsqueeze(axis) == positions;
  return {at::where(hit, values.select(0, 1), values.select(0, 0))};
}

Tensors non_zero(const Call& call) { return {at::nonzero(call.in(0)).t()}; }

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
  const auto axis = axis_of(call, call.integer("axis", 0), x.dim());
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

constexpr OpEntry kIndexOps[] = {{"Gather", gather, {2, 2}},
                                 {"GatherElements", gather_elements, {2, 2}},
                                 {"GatherND", gather_nd, {2, 2}},
                                 {"NonZero", non_zero},
                                 {"OneHot", one_hot, {3, 3}, kHost},
                                 {"Scatter", scatter_elements, {3, 3}},
                                 {"ScatterElements", scatter_elements, {3, 3}},
                                 {"ScatterND", scatter_nd, {3, 3}}};

}  // namespace

std::span<const OpEntry> index_ops() { return kIndexOps; }

}  // namespace atcav::plugin
