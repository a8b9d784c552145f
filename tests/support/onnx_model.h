#pragma once

#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "plugins/torch/onnx/graph.h"

// Small ONNX graphs for tests, and their bytes as an exporter would write them.
namespace atcav::testing_support {

inline onnx::Attribute integer(std::string name, std::int64_t value) {
  onnx::Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = onnx::Attribute::Kind::kInteger;
  attribute.integer = value;
  return attribute;
}

inline onnx::Attribute real(std::string name, float value) {
  onnx::Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = onnx::Attribute::Kind::kReal;
  attribute.real = value;
  return attribute;
}

inline onnx::Attribute text(std::string name, std::string value) {
  onnx::Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = onnx::Attribute::Kind::kText;
  attribute.text = std::move(value);
  return attribute;
}

inline onnx::Attribute integers(std::string name, std::vector<std::int64_t> values) {
  onnx::Attribute attribute;
  attribute.name = std::move(name);
  attribute.kind = onnx::Attribute::Kind::kIntegers;
  attribute.integers = std::move(values);
  return attribute;
}

template <typename Number>
onnx::Tensor tensor(std::string name, onnx::Type type, std::vector<std::int64_t> shape,
                    const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {std::move(name), type, std::move(shape), onnx::Bytes::own(std::move(bytes))};
}

inline onnx::Tensor floats(std::string name, std::vector<std::int64_t> shape,
                           const std::vector<float>& values) {
  return tensor(std::move(name), onnx::Type::kFloat32, std::move(shape), values);
}

inline onnx::Tensor longs(std::string name, std::vector<std::int64_t> shape,
                          const std::vector<std::int64_t>& values) {
  return tensor(std::move(name), onnx::Type::kInt64, std::move(shape), values);
}

// Float numbers that look random: multiples of an irrational number, from −1 to 1.
inline onnx::Tensor noise(std::string name, std::vector<std::int64_t> shape, double seed = 0) {
  std::vector<float> values(static_cast<std::size_t>(onnx::element_count(shape, name)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double turns = (static_cast<double>(i) + 1) * (0.6180339887 + 0.01 * seed);
    values[i] = static_cast<float>(2 * (turns - static_cast<double>(static_cast<std::int64_t>(turns))) - 1);
  }
  return floats(std::move(name), std::move(shape), values);
}

inline onnx::Node node(std::string op, std::vector<std::string> inputs, std::vector<std::string> outputs,
                       std::vector<onnx::Attribute> attributes = {}, std::string name = "") {
  return {std::move(name),    std::move(op),         "", std::move(inputs),
          std::move(outputs), std::move(attributes), {}};
}

inline onnx::Value value(std::string name, std::vector<std::int64_t> shape,
                         onnx::Type type = onnx::Type::kFloat32) {
  const std::size_t rank = shape.size();
  return {std::move(name), type, std::move(shape), std::vector<std::string>(rank), true, false, false};
}

inline onnx::Model onnx_model(std::vector<onnx::Value> inputs, std::vector<onnx::Tensor> weights,
                              std::vector<onnx::Node> nodes, std::vector<onnx::Value> outputs,
                              std::int64_t opset = 17) {
  return {8,
          opset,
          "test",
          {"graph", std::move(nodes), std::move(weights), std::move(inputs), std::move(outputs)}};
}

inline std::string tensor_bytes(const onnx::Tensor& tensor) {
  std::string bytes;
  protozero::pbf_writer out(bytes);
  for (const auto size : tensor.shape) out.add_int64(1, size);
  out.add_int32(2, static_cast<int>(tensor.type));
  out.add_string(8, tensor.name);
  out.add_bytes(9, tensor.bytes.view().data(), tensor.bytes.size());
  return bytes;
}

inline std::string value_bytes(const onnx::Value& value) {
  std::string shape;
  for (std::size_t i = 0; i < value.shape.size(); ++i) {
    std::string dimension;
    protozero::pbf_writer out(dimension);
    if (value.shape[i] >= 0) {
      out.add_int64(1, value.shape[i]);
    } else {
      out.add_string(2, value.symbols[i]);
    }
    protozero::pbf_writer(shape).add_message(1, dimension);
  }
  std::string tensor_type;
  protozero::pbf_writer(tensor_type).add_int32(1, static_cast<int>(value.type));
  protozero::pbf_writer(tensor_type).add_message(2, shape);
  std::string type;
  protozero::pbf_writer(type).add_message(1, tensor_type);
  std::string bytes;
  protozero::pbf_writer out(bytes);
  out.add_string(1, value.name);
  out.add_message(2, type);
  return bytes;
}

std::string graph_bytes(const onnx::Graph& graph);

inline std::string attribute_bytes(const onnx::Attribute& attribute) {
  using Kind = onnx::Attribute::Kind;
  std::string bytes;
  protozero::pbf_writer out(bytes);
  out.add_string(1, attribute.name);
  if (attribute.kind == Kind::kReal) out.add_float(2, attribute.real);
  if (attribute.kind == Kind::kInteger) out.add_int64(3, attribute.integer);
  if (attribute.kind == Kind::kText) out.add_string(4, attribute.text);
  if (attribute.kind == Kind::kTensor) out.add_message(5, tensor_bytes(attribute.tensor));
  if (attribute.kind == Kind::kGraph) out.add_message(6, graph_bytes(attribute.graph.front()));
  for (const auto number : attribute.integers) out.add_int64(8, number);
  out.add_int32(20, static_cast<int>(attribute.kind));
  return bytes;
}

inline std::string node_bytes(const onnx::Node& node) {
  std::string bytes;
  protozero::pbf_writer out(bytes);
  for (const auto& input : node.inputs) out.add_string(1, input);
  for (const auto& output : node.outputs) out.add_string(2, output);
  out.add_string(3, node.name);
  out.add_string(4, node.op);
  for (const auto& attribute : node.attributes) out.add_message(5, attribute_bytes(attribute));
  out.add_string(7, node.domain);
  return bytes;
}

inline std::string graph_bytes(const onnx::Graph& graph) {
  std::string bytes;
  protozero::pbf_writer out(bytes);
  for (const auto& node : graph.nodes) out.add_message(1, node_bytes(node));
  out.add_string(2, graph.name);
  for (const auto& tensor : graph.initializers) out.add_message(5, tensor_bytes(tensor));
  for (const auto& input : graph.inputs) out.add_message(11, value_bytes(input));
  for (const auto& output : graph.outputs) out.add_message(12, value_bytes(output));
  return bytes;
}

// With `weights` (a file's name) the graph has one more constant: w, two floats that lie in that file.
inline std::string model_bytes(const onnx::Model& model, const std::string& weights = "") {
  std::string graph = graph_bytes(model.graph);
  if (!weights.empty()) {
    std::string location;
    protozero::pbf_writer entry(location);
    entry.add_string(1, "location");
    entry.add_string(2, weights);
    std::string bytes;
    protozero::pbf_writer tensor(bytes);
    tensor.add_int64(1, 2);
    tensor.add_int32(2, static_cast<int>(onnx::Type::kFloat32));
    tensor.add_string(8, "w");
    tensor.add_message(13, location);
    tensor.add_enum(14, 1);
    protozero::pbf_writer(graph).add_message(5, bytes);
  }
  std::string opset;
  protozero::pbf_writer(opset).add_int64(2, model.opset);
  std::string bytes;
  protozero::pbf_writer out(bytes);
  out.add_int64(1, model.ir_version);
  out.add_string(2, model.producer);
  out.add_message(7, graph);
  out.add_message(8, opset);
  return bytes;
}

}  // namespace atcav::testing_support
