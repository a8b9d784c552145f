#include "plugins/torch/onnx/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <stdexcept>

namespace atcav::onnx {

std::string type_name(Type type) {
  static constexpr const char* kNames[] = {
      "undefined", "float32", "uint8",   "int8",   "uint16", "int16",     "int32",      "int64",   "string",
      "bool",      "float16", "float64", "uint32", "uint64", "complex64", "complex128", "bfloat16"};
  const auto number = static_cast<int>(type);
  if (number >= 0 && number < static_cast<int>(std::size(kNames))) return kNames[number];
  return fmt::format("type {}", number);
}

std::size_t element_size(Type type) {
  switch (type) {
    case Type::kUint8:
    case Type::kInt8:
    case Type::kBoolean:
      return 1;
    case Type::kUint16:
    case Type::kInt16:
    case Type::kFloat16:
    case Type::kBfloat16:
      return 2;
    case Type::kFloat32:
    case Type::kInt32:
    case Type::kUint32:
      return 4;
    case Type::kInt64:
    case Type::kUint64:
    case Type::kFloat64:
    case Type::kComplex64:
      return 8;
    case Type::kComplex128:
      return 16;
    default:
      return 0;
  }
}

std::int64_t element_count(const std::vector<std::int64_t>& shape, const std::string& name) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 16;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) {
      throw std::runtime_error(
          fmt::format("[onnx] tensor '{}' has the shape {}: sizes must be >= 0", name, shape_text(shape)));
    }
    if (size > 0 && count > kMost / size) {
      throw std::runtime_error(
          fmt::format("[onnx] tensor '{}' has the absurd shape {}", name, shape_text(shape)));
    }
    count *= size;
  }
  return count;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace atcav::onnx
