#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/torch/onnx/bytes.h"

// A constant of the model: weights, shapes, attributes of type tensor. Plain data, no torch.
namespace atcav::onnx {

// Numbered from 0 as in the ONNX format (TensorProto.DataType).
enum class Type : int {
  kUndefined,
  kFloat32,
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kInt32,
  kInt64,
  kString,
  kBoolean,
  kFloat16,
  kFloat64,
  kUint32,
  kUint64,
  kComplex64,
  kComplex128,
  kBfloat16,
  kFloat8E4M3FN,
  kFloat8E4M3FNUZ,
  kFloat8E5M2,
  kFloat8E5M2FNUZ,
  kUint4,
  kInt4,
  kFloat4E2M1,
  kFloat8E8M0,
  kUint2,
  kInt2
};

// "float32", "int64"; "type 21" for numbers that have no name here.
std::string type_name(Type type);

// Bytes of one element; 0 for types without a fixed size or not known here (string). Numbers of fewer than
// eight bits are unpacked, one to a byte.
std::size_t element_size(Type type);

// Bits of one element in a file: fewer than eight are packed, the low bits first.
std::size_t packed_bits(Type type);

// Row-major, little-endian elements. bytes.size() == element_count(shape) · element_size(type) always
// holds for a parsed tensor, so nothing that reads one has to check again.
struct Tensor {
  std::string name;
  Type type = Type::kUndefined;
  std::vector<std::int64_t> shape;
  Bytes bytes;
};

// Product of the dimensions; std::runtime_error for a negative one or when the product (times 16 bytes)
// does not fit into 63 bits. `name` is for the message.
std::int64_t element_count(const std::vector<std::int64_t>& shape, const std::string& name);

// "[1, 3, 224, 224]"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace atcav::onnx
