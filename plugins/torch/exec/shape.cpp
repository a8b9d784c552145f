#include <algorithm>
#include <numeric>

#include "plugins/torch/exec/table.h"

// The same elements in another shape, and shapes as numbers.
namespace atcav::plugin {
namespace {

Tensors identity(const Call& call) { return {call.in(0)}; }

Tensors reshape(const Call& call) {
  const at::Tensor& x = call.in(0);
  Sizes shape = call.integers("shape", 1).value_or(Sizes());
  if (!call.flag("allowzero")) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 0) shape[i] = x.size(static_cast<std::int64_t>(i));
    }
  }
  const BatchScale& scale = call.scale();
  if (scale.dim >= 0) {
    auto& size = shape.at(static_cast<std::size_t>(scale.dim));
    size = size * scale.batch / scale.base;
  }
  return {x.reshape(shape)};
}

Tensors transpose(const Call& call) {
  const at::Tensor& x = call.in(0);
  Sizes order(static_cast<std::size_t>(x.dim()));
  std::iota(order.rbegin(), order.rend(), 0);
  return {x.permute(call.integers("perm", order))};
}

Tensors flatten(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto wanted = call.integer("axis", 1);
  const auto axis = static_cast<std::size_t>(wanted == x.dim() ? wanted : axis_of(call, wanted, x.dim()));
  const auto rows = c10::multiply_integers(x.sizes().slice(0, axis));
  return {x.reshape({rows, c10::multiply_integers(x.sizes().slice(axis))})};
}

Tensors squeeze(const Call& call) {
  const at::Tensor& y = call.in(0);
  const auto axes = call.integers("axes", 1);
  if (!axes) return {y.squeeze()};
  Sizes shape;
  Sizes dropped;
  for (const auto axis : *axes) dropped.push_back(axis_of(call, axis, y.dim()));
  for (std::int64_t i = 0; i < y.dim(); ++i) {
    if (std::ranges::find(dropped, i) == dropped.end()) {
      shape.push_back(y.size(i));
    } else if (y.size(i) != 1) {
      call.fail("axis {} has {} elements and cannot be dropped", i, y.size(i));
    }
  }
  return {y.reshape(shape)};
}

Tensors unsqueeze(const Call& call) {
  const at::Tensor& x = call.in(0);
  Sizes axes = call.integers("axes", 1).value_or(Sizes());
  const auto rank = x.dim() + static_cast<std::int64_t>(axes.size());
  check_size(call, Sizes(static_cast<std::size_t>(rank), 1));
  for (auto& axis : axes) axis = axis_of(call, axis, rank);
  std::ranges::sort(axes);
  at::Tensor y = x;
  for (const auto axis : axes) y = y.unsqueeze(axis);
  return {y};
}

// Broadcasts both ways: a size 1 asked for keeps what the input has.
Tensors expand(const Call& call) {
  const at::Tensor& x = call.in(0);
  const Sizes wanted = call.integers_in(1);
  const auto rank = std::max<std::size_t>(wanted.size(), static_cast<std::size_t>(x.dim()));
  Sizes shape(rank, 1);
  std::copy_backward(wanted.begin(), wanted.end(), shape.end());
  const std::size_t offset = rank - static_cast<std::size_t>(x.dim());
  for (std::size_t i = offset; i < rank; ++i) {
    const auto size = x.size(static_cast<std::int64_t>(i - offset));
    if (shape[i] == 1) shape[i] = size;
  }
  check_size(call, shape);
  return {x.expand(shape)};
}

Tensors tile(const Call& call) {
  const at::Tensor& x = call.in(0);
  Sizes repeats = call.integers_in(1);
  // Opset 1: (tiles, axis) as two numbers.
  if (call.opset() < 6 && call.has(2)) {
    const auto tiles = repeats.at(0);
    const auto axis = axis_of(call, call.integer_in(2), x.dim());
    repeats.assign(static_cast<std::size_t>(x.dim()), 1);
    repeats[axis] = tiles;
  }
  if (repeats.size() != static_cast<std::size_t>(x.dim()))
    call.fail("input 1 must have a number per dimension");
  Sizes shape = x.sizes().vec();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (repeats[i] < 0 || repeats[i] > (1 << 28)) call.fail("input 1 has too large a number of repeats");
    shape[i] *= repeats[i];
  }
  check_size(call, shape);
  return {x.repeat(repeats)};
}

Tensors shape_of(const Call& call) {
  const Sizes shape = call.in(0).sizes().vec();
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto clamped = [&](std::int64_t i) {
    return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank);
  };
  const auto start = clamped(call.integer("start", 0));
  const auto end = std::max(start, clamped(call.integer("end", rank)));
  at::Tensor result = at::empty({end - start}, at::kLong);
  std::copy(shape.begin() + start, shape.begin() + end, result.data_ptr<std::int64_t>());
  return {result};
}

Tensors size_of(const Call& call) { return {at::scalar_tensor(call.in(0).numel(), at::kLong)}; }

// Inference only: the identity, and a mask that keeps everything.
Tensors dropout(const Call& call) {
  const at::Tensor& x = call.in(0);
  if (call.has(2) && call.number_in(2) != 0 && (!call.has(1) || call.number_in(1) != 0)) {
    call.fail("training mode is not supported, export the model for inference");
  }
  return {x, at::ones_like(x, x.options().dtype(at::kBool))};
}

// Which comes first in a channel's number: the channel (CRD) or the place in the block (DCR).
bool channels_lead(const Call& call) { return call.choice("mode", {"DCR", "CRD"}) == "CRD"; }

Tensors depth_to_space(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto block = call.integer("blocksize", 0);
  if (x.dim() != 4 || block < 1 || block > x.size(1) || x.size(1) % (block * block) != 0)
    call.fail("attribute 'blocksize' does not fit");
  const auto n = x.size(0), c = x.size(1) / (block * block), h = x.size(2), w = x.size(3);
  const at::Tensor y = channels_lead(call)
                           ? x.reshape({n, c, block, block, h, w}).permute({0, 1, 4, 2, 5, 3})
                           : x.reshape({n, block, block, c, h, w}).permute({0, 3, 4, 1, 5, 2});
  return {y.reshape({n, c, h * block, w * block})};
}

Tensors space_to_depth(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto block = call.integer("blocksize", 0);
  if (x.dim() != 4 || block < 1 || x.size(2) % block != 0 || x.size(3) % block != 0) {
    call.fail("attribute 'blocksize' does not fit");
  }
  const auto n = x.size(0), c = x.size(1), h = x.size(2) / block, w = x.size(3) / block;
  const at::Tensor blocks = x.reshape({n, c, h, block, w, block});
  const at::Tensor y =
      channels_lead(call) ? blocks.permute({0, 1, 3, 5, 2, 4}) : blocks.permute({0, 3, 5, 1, 2, 4});
  return {y.reshape({n, c * block * block, h, w})};
}

Tensors trilu(const Call& call) {
  const auto k = call.has(1) ? call.integer_in(1) : 0;
  return {call.flag("upper", true) ? at::triu(call.in(0), k) : at::tril(call.in(0), k)};
}

constexpr OpEntry kShapeOps[] = {{"DepthToSpace", depth_to_space},
                                 {"Dropout", dropout, {1, 3, 2}, kHost},
                                 {"Expand", expand, {2, 2}, kHost},
                                 {"Flatten", flatten},
                                 {"Identity", identity},
                                 {"Reshape", reshape, {1, 2}, kHost},
                                 {"Shape", shape_of},
                                 {"Size", size_of},
                                 {"SpaceToDepth", space_to_depth},
                                 {"Squeeze", squeeze, {1, 2}, kHost},
                                 {"Tile", tile, {2, 3}, kHost},
                                 {"Transpose", transpose},
                                 {"Trilu", trilu, {1, 2}, kHost},
                                 {"Unsqueeze", unsqueeze, {1, 2}, kHost}};

}  // namespace

std::span<const OpEntry> shape_ops() { return kShapeOps; }

}  // namespace atcav::plugin
