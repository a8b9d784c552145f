#include "plugins/torch/onnx/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <stdexcept>

namespace atcav::onnx {

namespace {

struct TypeInfo {
  const char* name;
  std::size_t size;
};

// By number.
constexpr TypeInfo kTypes[] = {
    {"undefined", 0},      {"float32", 4},  {"uint8", 1},        {"int8", 1},           {"uint16", 2},
    {"int16", 2},          {"int32", 4},    {"int64", 8},        {"string", 0},         {"bool", 1},
    {"float16", 2},        {"float64", 8},  {"uint32", 4},       {"uint64", 8},         {"complex64", 8},
    {"complex128", 16},    {"bfloat16", 2}, {"float8e4m3fn", 1}, {"float8e4m3fnuz", 1}, {"float8e5m2", 1},
    {"float8e5m2fnuz", 1}, {"uint4", 1},    {"int4", 1},         {"float4e2m1", 1},     {"float8e8m0", 1},
    {"uint2", 1},          {"int2", 1}};

bool is_known(Type type) { return static_cast<std::size_t>(type) < std::size(kTypes); }

}  // namespace

std::string type_name(Type type) {
  const auto number = static_cast<std::size_t>(type);
  return is_known(type) ? kTypes[number].name : fmt::format("type {}", static_cast<int>(type));
}

std::size_t element_size(Type type) {
  return is_known(type) ? kTypes[static_cast<std::size_t>(type)].size : 0;
}

std::size_t packed_bits(Type type) {
  switch (type) {
    case Type::kUint4:
    case Type::kInt4:
    case Type::kFloat4E2M1: return 4;
    case Type::kUint2:
    case Type::kInt2: return 2;
    default: return 8 * element_size(type);
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
          fmt::format("[onnx] tensor '{}' has the shape {}, which is too large", name, shape_text(shape)));
    }
    count *= size;
  }
  return count;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace atcav::onnx
