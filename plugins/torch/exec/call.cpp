#include "plugins/torch/exec/call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace atcav::plugin {

using Kind = onnx::Attribute::Kind;

const at::Tensor& Call::in(std::size_t i) const {
  if (!has(i)) fail("input {} is missing", i);
  return inputs_[i];
}

Sizes Call::integers_in(std::size_t i) const {
  const at::Tensor& tensor = in(i);
  constexpr std::int64_t kMost = 1 << 20;
  if (tensor.numel() > kMost) fail("input {} has {} numbers, too many for a list", i, tensor.numel());
  const at::Tensor list = tensor.detach().to(at::kCPU, at::kLong).contiguous();
  const auto* data = list.data_ptr<std::int64_t>();
  return {data, data + list.numel()};
}

double Call::number_in(std::size_t i) const {
  const at::Tensor& tensor = in(i);
  if (tensor.numel() != 1) fail("input {} has {} numbers, must be 1", i, tensor.numel());
  return tensor.detach().to(at::kCPU, at::kDouble).item<double>();
}

const onnx::Attribute* Attributes::find(std::string_view name, Kind kind) const {
  const onnx::Attribute* attribute = node_.find(name);
  if (attribute != nullptr && attribute->kind != kind) {
    // An empty list carries no trace of its type in old files.
    if (attribute->kind == Kind::kNone) return nullptr;
    fail("attribute '{}' has the wrong type", name);
  }
  return attribute;
}

template <typename Value>
Value Attributes::field(std::string_view name, Kind kind, Value onnx::Attribute::*member,
                        Value otherwise) const {
  const auto* attribute = find(name, kind);
  return attribute != nullptr ? attribute->*member : otherwise;
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t otherwise) const {
  return field(name, Kind::kInteger, &onnx::Attribute::integer, otherwise);
}

double Attributes::real(std::string_view name, double otherwise) const {
  const auto* attribute = find(name, Kind::kReal);
  return attribute != nullptr ? attribute->real : otherwise;
}

std::string Attributes::text(std::string_view name, std::string_view otherwise) const {
  return field(name, Kind::kText, &onnx::Attribute::text, std::string(otherwise));
}

std::string Attributes::choice(std::string_view name, std::initializer_list<std::string_view> allowed) const {
  std::string chosen = text(name, *allowed.begin());
  if (std::ranges::find(allowed, chosen) == allowed.end())
    fail("attribute '{}' is '{}', must be one of {}", name, chosen, fmt::join(allowed, ", "));
  return chosen;
}

Sizes Attributes::integers(std::string_view name, Sizes otherwise) const {
  return field(name, Kind::kIntegers, &onnx::Attribute::integers, std::move(otherwise));
}

std::vector<double> Attributes::reals(std::string_view name) const {
  const auto values = field(name, Kind::kReals, &onnx::Attribute::reals, {});
  return {values.begin(), values.end()};
}

std::vector<std::string> Attributes::texts(std::string_view name) const {
  return field(name, Kind::kTexts, &onnx::Attribute::texts, {});
}

std::optional<Sizes> Call::integers(std::string_view name, std::size_t i) const {
  if (has(i)) return integers_in(i);
  if (has_attribute(name)) return integers(name);
  return std::nullopt;
}

std::int64_t axis_of(const Call& call, std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) call.fail("axis is {}, but the tensor has {} dimensions", axis, rank);
  return axis < 0 ? axis + rank : axis;
}

void check_size(const Call& call, const Sizes& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  constexpr std::size_t kMostDims = 64;  // ATen's own limit
  if (shape.size() > kMostDims) call.fail("the result would have {} dimensions", shape.size());
  std::int64_t count = 1;
  for (const auto size : shape) {
    if (size < 0 || (size > 0 && count > kMost / size))
      call.fail("the result would have the shape {}", onnx::shape_text(shape));
    count *= size;
  }
}

void Attributes::fail(const std::string& message) const {
  throw std::runtime_error(fmt::format("[onnx] {}: {}", node_.title(), message));
}

Sizes first_axes(std::int64_t count) {
  Sizes axes(static_cast<std::size_t>(count));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Sizes shape_on_axis(std::int64_t dims, std::int64_t axis, std::int64_t size) {
  Sizes shape(static_cast<std::size_t>(dims), 1);
  shape[axis] = size;
  return shape;
}

}  // namespace atcav::plugin
