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
  if (tensor.numel() > kMost) fail("input {} has {} numbers where a list is meant", i, tensor.numel());
  const at::Tensor list = tensor.detach().to(at::kCPU, at::kLong).contiguous();
  const auto* data = list.data_ptr<std::int64_t>();
  return {data, data + list.numel()};
}

double Call::number_in(std::size_t i) const {
  const at::Tensor& tensor = in(i);
  if (tensor.numel() != 1) fail("input {} has {} numbers, must be 1", i, tensor.numel());
  return tensor.detach().to(at::kCPU, at::kDouble).item<double>();
}

const onnx::Attribute* Call::find(std::string_view name, Kind kind) const {
  const onnx::Attribute* attribute = node_.find(name);
  if (attribute != nullptr && attribute->kind != kind) {
    // An empty list carries no trace of its type in old files.
    if (attribute->kind == Kind::kNone) return nullptr;
    fail("attribute '{}' has the wrong type", name);
  }
  return attribute;
}

template <typename Value>
Value Call::field(std::string_view name, Kind kind, Value onnx::Attribute::*member, Value otherwise) const {
  const auto* attribute = find(name, kind);
  return attribute != nullptr ? attribute->*member : otherwise;
}

std::int64_t Call::integer(std::string_view name, std::int64_t otherwise) const {
  return field(name, Kind::kInteger, &onnx::Attribute::integer, otherwise);
}

double Call::real(std::string_view name, double otherwise) const {
  const auto* attribute = find(name, Kind::kReal);
  return attribute != nullptr ? attribute->real : otherwise;
}

std::string Call::text(std::string_view name, std::string_view otherwise) const {
  return field(name, Kind::kText, &onnx::Attribute::text, std::string(otherwise));
}

std::string Call::choice(std::string_view name, std::initializer_list<std::string_view> allowed) const {
  std::string chosen = text(name, *allowed.begin());
  if (std::ranges::find(allowed, chosen) == allowed.end())
    fail("attribute '{}' is '{}', must be one of {}", name, chosen, fmt::join(allowed, ", "));
  return chosen;
}

Sizes Call::integers(std::string_view name, Sizes otherwise) const {
  return field(name, Kind::kIntegers, &onnx::Attribute::integers, std::move(otherwise));
}

std::vector<double> Call::reals(std::string_view name) const {
  const auto values = field(name, Kind::kReals, &onnx::Attribute::reals, {});
  return {values.begin(), values.end()};
}

std::vector<std::string> Call::texts(std::string_view name) const {
  return field(name, Kind::kTexts, &onnx::Attribute::texts, {});
}

std::optional<Sizes> Call::integers(std::string_view name, std::size_t i) const {
  if (has(i)) return integers_in(i);
  if (has_attribute(name)) return integers(name);
  return std::nullopt;
}

std::int64_t Call::axis(std::int64_t axis, std::int64_t rank) const {
  if (axis < -rank || axis >= rank) fail("axis is {}, but the tensor has {} dimensions", axis, rank);
  return axis < 0 ? axis + rank : axis;
}

void Call::check_size(const Sizes& shape) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  constexpr std::size_t kMostDims = 64;  // ATen's own limit
  if (shape.size() > kMostDims) fail("the result would have {} dimensions", shape.size());
  std::int64_t count = 1;
  for (const auto size : shape) {
    if (size < 0 || (size > 0 && count > kMost / size)) {
      fail("the result would have the shape {}", onnx::shape_text(shape));
    }
    count *= size;
  }
}

void Call::fail(const std::string& message) const {
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
