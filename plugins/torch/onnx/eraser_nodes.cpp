#include "plugins/torch/onnx/eraser_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/check.h"

namespace atcav::onnx {
namespace {

constexpr std::int64_t kBroadcasts = 7;  // Sub and others, as NumPy does
constexpr std::int64_t kSliceHasInputs = 10;
constexpr std::int64_t kCastLike = 15;
constexpr std::int64_t kAxesAreInputs = 18;  // of ReduceMean

using Kind = Attribute::Kind;

Attribute integer(const std::string& name, std::int64_t value) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = Kind::kInteger;
  attribute.integer = value;
  return attribute;
}

Attribute integers(const std::string& name, std::vector<std::int64_t> values) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = Kind::kIntegers;
  attribute.integers = std::move(values);
  return attribute;
}

template <typename Number>
Bytes bytes_of(const Number* values, Index count) {
  return Bytes::own(
      std::string(reinterpret_cast<const char*>(values), sizeof(Number) * static_cast<std::size_t>(count)));
}

class Nodes {
 public:
  Nodes(const model::LayerEraser& eraser, LayerPlace place, std::string stem)
      : eraser_(eraser), place_(std::move(place)), stem_(std::move(stem)) {}

  std::vector<Node> made() {
    const std::string given = stem_ + "/before";
    if (pools() && eraser_.pool.kind == model::Pool::Kind::kToken) {
      move_token(given);
    } else {
      add("Sub", {given, move_of(pooled(given))});
    }
    nodes_.back().outputs = {eraser_.tensor};
    return std::move(nodes_);
  }

 private:
  bool pools() const { return eraser_.pool != model::Pool::kNone && !place_.positions.empty(); }
  auto rank() const { return std::ssize(place_.shape); }

  std::string add(const std::string& op, std::vector<std::string> inputs,
                  std::vector<Attribute> attributes = {}) {
    std::string name = fmt::format("{}/{}_{}", stem_, op, nodes_.size());
    nodes_.push_back({fmt::format("{}_{}_{}", stem_.substr(stem_.rfind('/') + 1), op, nodes_.size()),
                      op,
                      "",
                      std::move(inputs),
                      {name},
                      std::move(attributes),
                      {}});
    return name;
  }
  std::string constant(Tensor tensor) {
    Attribute value;
    value.name = "value";
    value.kind = Kind::kTensor;
    value.tensor = std::move(tensor);
    return add("Constant", {}, {value});
  }
  std::string numbers(const std::vector<std::int64_t>& values) {
    return constant({"", Type::kInt64, {std::ssize(values)}, bytes_of(values.data(), std::ssize(values))});
  }
  std::string matrix(const MatrixF& values) {
    return constant(
        {"", Type::kFloat32, {values.rows(), values.cols()}, bytes_of(values.data(), values.size())});
  }

  // To or from the layer's type.
  std::string cast(const std::string& value, Type type) {
    if (place_.type == Type::kFloat32) return value;
    return add("Cast", {value}, {integer("to", static_cast<int>(type))});
  }

  // Examples × columns, in float32.
  std::string pooled(std::string value) {
    value = cast(value, Type::kFloat32);
    if (!pools()) return rank() > 2 ? add("Flatten", {value}, {integer("axis", 1)}) : value;
    const std::vector<std::int64_t> axes(place_.positions.begin(), place_.positions.end());
    if (place_.opset >= kAxesAreInputs)
      return add("ReduceMean", {value, numbers(axes)}, {integer("keepdims", 0)});
    return add("ReduceMean", {value}, {integers("axes", axes), integer("keepdims", 0)});
  }

  // What the layer, or each of its positions, loses: in its rank and type.
  std::string move_of(const std::string& columns) {
    const std::string share = add("MatMul", {columns, matrix(eraser_.readers.transpose())});
    const std::string above = add("Sub", {share, matrix(eraser_.offset.transpose())});
    std::string move = add("MatMul", {above, matrix(eraser_.directions)});
    if (rank() > 2) {
      std::vector<std::int64_t> shape = place_.shape;
      if (pools()) {
        for (const Index dim : place_.positions) shape[static_cast<std::size_t>(dim)] = 1;
      }
      shape.front() = 0;  // as many as there are
      move = add("Reshape", {move, numbers(shape)});
    }
    if (!place_.type) return add("CastLike", {move, stem_ + "/before"});
    return cast(move, *place_.type);
  }

  std::string slice(const std::string& value, std::int64_t from, std::int64_t to) {
    const std::string first = numbers({from});
    const std::string last = numbers({to});
    return add("Slice", {value, first, last, numbers({place_.positions.front()})});
  }

  void move_token(const std::string& given) {
    constexpr auto kEnd = std::numeric_limits<std::int64_t>::max();
    const Index token = eraser_.pool.token;
    std::vector<std::string> parts;
    if (token != 0) parts.push_back(slice(given, 0, token));
    const std::string chosen = slice(given, token, token < 0 ? kEnd : token + 1);
    const std::string columns = add("Flatten", {cast(chosen, Type::kFloat32)}, {integer("axis", 1)});
    const std::string move = move_of(columns);
    parts.push_back(add("Sub", {chosen, move}));
    if (token >= 0) parts.push_back(slice(given, token + 1, kEnd));
    add("Concat", parts, {integer("axis", place_.positions.front())});
  }

  const model::LayerEraser& eraser_;
  LayerPlace place_;
  std::string stem_;
  std::vector<Node> nodes_;
};

void check_opset(const LayerPlace& place, std::int64_t least) {
  if (place.opset < least) {
    fail_argument("eraser_nodes", fmt::format("the file has opset {}, must have {} or more for this layer",
                                              place.opset, least));
  }
}

void check_place(const model::LayerEraser& eraser, const LayerPlace& place) {
  check_opset(place, place.type ? kBroadcasts : kCastLike);
  if (eraser.pool == model::Pool::kNone || place.positions.empty()) return;
  if (eraser.pool == model::Pool::kMax)
    fail_argument("eraser_nodes",
                  "pool is max, must be none, mean or a token: what is largest changes as it is erased");
  if (eraser.pool.kind != model::Pool::Kind::kToken) return;
  check_opset(place, kSliceHasInputs);
  if (place.positions.size() > 1)
    fail_argument("eraser_nodes", fmt::format("pool is a token, but the layer has {} dimensions of positions",
                                              place.positions.size()));
}

}  // namespace

std::vector<Node> eraser_nodes(const model::LayerEraser& eraser, const LayerPlace& place,
                               const std::string& stem) {
  check_place(eraser, place);
  return Nodes(eraser, place, stem).made();
}

}  // namespace atcav::onnx
