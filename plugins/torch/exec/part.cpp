#include <algorithm>
#include <numeric>

#include "plugins/torch/exec/table.h"
#include "plugins/torch/exec/window.h"

// Parts of tensors: joining, cutting, padding.
namespace atcav::plugin {
namespace {

Tensors concat(const Call& call) {
  Tensors parts = call.inputs();
  const auto axis = axis_of(call, call.integer("axis", 1), call.in(0).dim());
  // A constant made for the exported batch (a class token, say) is repeated for this one.
  const BatchScale& scale = call.scale();
  if (scale.dim >= 0 && scale.batch != scale.base) {
    for (at::Tensor& part : parts) {
      if (part.dim() <= scale.dim || part.size(scale.dim) != scale.base) continue;
      part = part.repeat(shape_on_axis(part.dim(), scale.dim, scale.batch / scale.base));
    }
  }
  return {at::cat(parts, axis)};
}

Tensors split(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto axis = axis_of(call, call.integer("axis", 0), x.dim());
  Sizes sizes = call.integers("split", 1).value_or(Sizes());
  if (sizes.empty()) {
    const auto parts = std::max<std::int64_t>(1, static_cast<std::int64_t>(call.node().outputs.size()));
    const auto each = (x.size(axis) + parts - 1) / parts;
    for (std::int64_t left = x.size(axis), i = 0; i < parts; ++i, left -= each) {
      sizes.push_back(std::clamp<std::int64_t>(left, 0, each));
    }
  }
  const auto total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (total != x.size(axis)) {
    call.fail("the parts add up to {}, axis {} has {}", total, axis, x.size(axis));
  }
  return at::split_with_sizes(x, sizes, axis);
}

// One axis; a negative step walks backwards from start to just after end.
at::Tensor slice_axis(const Call& call, const at::Tensor& x, std::int64_t axis, std::int64_t start,
                      std::int64_t end, std::int64_t step) {
  const auto size = x.size(axis);
  const auto from_end = [&](std::int64_t i) { return i < 0 ? i + size : i; };
  if (step == 0) call.fail("step is 0");
  if (step > 0) {
    start = std::clamp<std::int64_t>(from_end(start), 0, size);
    end = std::clamp<std::int64_t>(from_end(end), start, size);
    return x.slice(axis, start, end, step);
  }
  start = std::clamp<std::int64_t>(from_end(start), -1, size - 1);
  end = std::clamp<std::int64_t>(end < -size ? -1 : from_end(end), -1, start);
  const auto count = step < -size ? std::min<std::int64_t>(start - end, 1) : (start - end - step - 1) / -step;
  if (count == 0) return x.slice(axis, 0, 0, 1);
  const auto stride = count == 1 ? 1 : -step;
  const auto first = start - (count - 1) * stride;
  return x.slice(axis, first, start + 1, stride).flip({axis});
}

Tensors slice(const Call& call) {
  at::Tensor y = call.in(0);
  const Sizes starts = call.integers("starts", 1).value_or(Sizes());
  const Sizes ends = call.integers("ends", 2).value_or(Sizes());
  const Sizes axes = call.integers("axes", 3).value_or(first_axes(std::ssize(starts)));
  const Sizes steps = call.has(4) ? call.integers_in(4) : Sizes(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()) {
    call.fail("starts, ends, axes and steps differ in length");
  }
  for (std::size_t i = 0; i < starts.size(); ++i) {
    y = slice_axis(call, y, axis_of(call, axes[i], y.dim()), starts[i], ends[i], steps[i]);
  }
  return {y};
}

// Where the elements of a padded axis come from, for the modes that repeat the input.
std::int64_t source(const std::string& mode, std::int64_t i, std::int64_t size) {
  if (mode == "edge") return std::clamp<std::int64_t>(i, 0, size - 1);
  if (mode == "wrap") return ((i % size) + size) % size;
  if (size == 1) return 0;
  const auto period = 2 * (size - 1);
  const auto folded = ((i % period) + period) % period;
  return folded < size ? folded : period - folded;
}

at::Tensor pad_axis(const std::string& mode, const at::Tensor& x, std::int64_t axis, std::int64_t begin,
                    std::int64_t end) {
  const auto size = x.size(axis);
  if (size == 0 || (begin == 0 && end == 0)) return x;
  Sizes from;
  for (std::int64_t i = -begin; i < size + end; ++i) from.push_back(source(mode, i, size));
  return x.index_select(axis, at::tensor(from, at::kLong).to(x.device()));
}

Tensors pad(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto rank = static_cast<std::size_t>(x.dim());
  const auto pads = call.integers(call.has_attribute("paddings") ? "paddings" : "pads", 1);
  if (!pads) call.fail("has no pads");
  const Sizes axes = call.has(3) ? call.integers_in(3) : first_axes(x.dim());
  if (pads->size() != 2 * axes.size()) call.fail("pads have the wrong length");
  Sizes begin(rank, 0);
  Sizes end(rank, 0);
  Sizes shape = x.sizes().vec();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axis_of(call, axes[i], x.dim()));
    begin[axis] = (*pads)[i];
    end[axis] = (*pads)[i + axes.size()];
    shape[axis] += begin[axis] + end[axis];
  }
  check_size(call, shape);

  const std::string mode = call.text("mode", "constant");
  if (mode == "constant") {
    const double value = call.has(2) ? call.number_in(2) : call.real("value", 0);
    return {pad_spatial(x, begin, end, value)};
  }
  if (mode != "reflect" && mode != "edge" && mode != "wrap") call.fail("attribute 'mode' is '" + mode + "'");
  at::Tensor y = x;
  for (std::size_t i = 0; i < rank; ++i)
    y = pad_axis(mode, y, static_cast<std::int64_t>(i), begin[i], end[i]);
  return {y};
}

Tensors compress(const Call& call) {
  const bool flat = !call.has_attribute("axis");
  const at::Tensor x = flat ? call.in(0).flatten() : call.in(0);
  const auto axis = flat ? 0 : axis_of(call, call.integer("axis", 0), x.dim());
  const at::Tensor kept = at::nonzero(call.in(1).to(at::kBool)).flatten();
  return {x.index_select(axis, kept)};
}

constexpr OpEntry kPartOps[] = {{"Compress", compress, {2, 2}},
                                {"Concat", concat, kAll},
                                {"Pad", pad, {1, 4}, kHost},
                                {"Slice", slice, {1, 5}, kHost},
                                {"Split", split, {1, 2, kAny}, kHost}};

}  // namespace

std::span<const OpEntry> part_ops() { return kPartOps; }

}  // namespace atcav::plugin
