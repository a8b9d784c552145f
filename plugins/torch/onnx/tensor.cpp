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
    case Type::uint8:
    case Type::int8:
    case Type::boolean:
      return 1;
    case Type::uint16:
    case Type::int16:
    case Type::float16:
    case Type::bfloat16:
      return 2;
    case Type::float32:
    case Type::int32:
    case Type::uint32:
      return 4;
    case Type::int64:
    case Type::uint64:
    case Type::float64:
    case Type::complex64:
      return 8;
    case Type::complex128:
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
