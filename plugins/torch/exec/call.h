#pragma once

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "plugins/torch/libtorch.h"
#include "plugins/torch/onnx/graph.h"

// One evaluation of one node: what an op function sees. Every accessor fails with a std::runtime_error
// that names node, op and attribute or input.
namespace atcav::plugin {

using Sizes = std::vector<std::int64_t>;
using Tensors = std::vector<at::Tensor>;

// How constants of a model exported for a fixed batch are adapted: size `dim` of the shape that the node
// was given is multiplied by batch / base. See batch.h.
struct BatchScale {
  std::int64_t dim = -1;
  std::int64_t batch = 1;
  std::int64_t base = 1;
};

// The attributes of a node by name and type.
class Attributes {
 public:
  explicit Attributes(const onnx::Node& node) : node_(node) {}

  const onnx::Node& node() const { return node_; }
  bool has_attribute(std::string_view name) const { return node_.find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  // An integer that means yes unless it is 0.
  bool flag(std::string_view name, bool otherwise = false) const {
    return integer(name, otherwise ? 1 : 0) != 0;
  }
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  // A text that must be one of these; the first where the attribute is left out.
  std::string choice(std::string_view name, std::initializer_list<std::string_view> allowed) const;
  Sizes integers(std::string_view name, Sizes otherwise = {}) const;
  std::vector<double> reals(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;

  [[noreturn]] void fail(const std::string& message) const;
  template <typename First, typename... Rest>
  [[noreturn]] void fail(fmt::format_string<First, Rest...> message, First&& first, Rest&&... rest) const {
    fail(fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...));
  }

 private:
  const onnx::Attribute* find(std::string_view name, onnx::Attribute::Kind kind) const;
  template <typename Value>
  Value field(std::string_view name, onnx::Attribute::Kind kind, Value onnx::Attribute::*member,
              Value otherwise) const;

  const onnx::Node& node_;
};

class Call : public Attributes {
 public:
  Call(const onnx::Node& node, std::int64_t opset, Tensors inputs, BatchScale scale = {},
       bool may_overwrite = false, std::span<const onnx::Type> types = {})
      : Attributes(node),
        opset_(opset),
        inputs_(std::move(inputs)),
        scale_(scale),
        may_overwrite_(may_overwrite),
        types_(types) {}

  std::int64_t opset() const { return opset_; }
  const BatchScale& scale() const { return scale_; }

  // As written in the node, left-out ones counted.
  const Tensors& inputs() const { return inputs_; }
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i].defined(); }
  const at::Tensor& in(std::size_t i) const;
  // An undefined tensor when left out.
  at::Tensor optional_in(std::size_t i) const { return has(i) ? inputs_[i] : at::Tensor(); }
  // Values of a small integer input (shape, axes, pads).
  Sizes integers_in(std::size_t i) const;
  double number_in(std::size_t i) const;
  std::int64_t integer_in(std::size_t i) const { return static_cast<std::int64_t>(number_in(i)); }
  // Integers that are an attribute in old opsets and input `i` in new ones; nothing when neither is there.
  using Attributes::integers;
  std::optional<Sizes> integers(std::string_view name, std::size_t i) const;
  // The type that the file gives input i, where LibTorch holds it in a wider one (tensor_torch.h); undefined
  // where it does not, or the file does not say.
  onnx::Type narrow_type(std::size_t i) const {
    return i < types_.size() ? types_[i] : onnx::Type::kUndefined;
  }
  // True if nothing else will look at input 0, so its memory may hold the result.
  bool may_overwrite() const { return may_overwrite_; }

 private:
  std::int64_t opset_;
  Tensors inputs_;
  BatchScale scale_;
  bool may_overwrite_;
  std::span<const onnx::Type> types_;
};

// axis in [0, rank); fails outside [−rank, rank).
std::int64_t axis_of(const Call& call, std::int64_t axis, std::int64_t rank);
// For ops whose result is as large as some number in the file says: fails when a size is negative, or there
// are more than 2^28 elements or 64 dimensions, before memory is asked for.
void check_size(const Call& call, const Sizes& shape);
// 0, 1, …, count-1.
Sizes first_axes(std::int64_t count);
// Ones, but `size` at `axis`: the shape that lines a list up with one axis of a tensor.
Sizes shape_on_axis(std::int64_t dims, std::int64_t axis, std::int64_t size);

}  // namespace atcav::plugin
