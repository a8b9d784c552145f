#include "plugins/torch/tensor_torch.h"

#include <fmt/format.h>

#include <cstring>

namespace atcav::plugin {
namespace {

at::Tensor copied(const onnx::Tensor& tensor, at::ScalarType type) {
  at::Tensor result = at::empty(tensor.shape, at::TensorOptions().dtype(type));
  if (!tensor.bytes.empty()) std::memcpy(result.data_ptr(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

}  // namespace

at::ScalarType scalar_type(onnx::Type type, const std::string& what) {
  using onnx::Type;
  switch (type) {
    case Type::kFloat32:
    case Type::kFloat16:
    case Type::kBfloat16: return at::kFloat;
    case Type::kFloat64: return at::kDouble;
    case Type::kUint8: return at::kByte;
    case Type::kInt8: return at::kChar;
    case Type::kInt16: return at::kShort;
    case Type::kInt32:
    case Type::kUint16: return at::kInt;
    case Type::kInt64:
    case Type::kUint32:
    case Type::kUint64: return at::kLong;
    case Type::kBoolean: return at::kBool;
    default:
      throw std::runtime_error(
          fmt::format("[onnx] {} has the type {}, which is not supported", what, onnx::type_name(type)));
  }
}

at::Tensor to_torch(const onnx::Tensor& tensor) {
  using onnx::Type;
  const at::ScalarType type = scalar_type(tensor.type, fmt::format("tensor '{}'", tensor.name));
  switch (tensor.type) {
    case Type::kUint16: return copied(tensor, at::kShort).to(type).bitwise_and(0xFFFF);
    case Type::kUint32: return copied(tensor, at::kInt).to(type).bitwise_and(std::int64_t{0xFFFFFFFF});
    case Type::kFloat16: return copied(tensor, at::kHalf).to(type);
    case Type::kBfloat16: return copied(tensor, at::kBFloat16).to(type);
    default: return copied(tensor, type);
  }
}

}  // namespace atcav::plugin
