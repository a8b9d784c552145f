#include "plugins/torch/exec/tensor_torch.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>

#include "plugins/torch/exec/mini_float.h"

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
  static const std::map<at::ScalarType, std::set<Type>> held = {
      {at::kFloat,
       {Type::kFloat32, Type::kFloat16, Type::kBfloat16, Type::kFloat8E4M3FN, Type::kFloat8E4M3FNUZ,
        Type::kFloat8E5M2, Type::kFloat8E5M2FNUZ, Type::kFloat8E8M0, Type::kFloat4E2M1}},
      {at::kDouble, {Type::kFloat64}},
      {at::kByte, {Type::kUint8, Type::kUint4, Type::kUint2}},
      {at::kChar, {Type::kInt8, Type::kInt4, Type::kInt2}},
      {at::kShort, {Type::kInt16}},
      {at::kInt, {Type::kInt32, Type::kUint16}},
      {at::kLong, {Type::kInt64, Type::kUint32, Type::kUint64}},
      {at::kBool, {Type::kBoolean}},
  };
  for (const auto& [ours, theirs] : held) {
    if (theirs.contains(type)) return ours;
  }
  throw std::runtime_error(
      fmt::format("[onnx] {} has the type {}, which is not supported", what, onnx::type_name(type)));
}

bool is_held_wider(onnx::Type type) {
  using onnx::Type;
  return type == Type::kFloat16 || type == Type::kBfloat16 || type == Type::kUint16 ||
         type == Type::kUint32 || mini_float(type) != nullptr || narrow_bits(type) > 0;
}

at::Tensor cast_to(const at::Tensor& x, onnx::Type type, const std::string& what, bool saturate,
                   const std::string& round_mode) {
  const at::ScalarType target = scalar_type(type, what);
  switch (type) {
    case onnx::Type::kFloat16: return x.to(at::kHalf).to(target);
    case onnx::Type::kBfloat16: return x.to(at::kBFloat16).to(target);
    case onnx::Type::kUint16: return at::bitwise_and(x.to(at::kLong), std::int64_t{0xFFFF}).to(target);
    case onnx::Type::kUint32: return at::bitwise_and(x.to(at::kLong), std::int64_t{0xFFFFFFFF});
    case onnx::Type::kFloat8E8M0: return power_of_two(x, saturate, round_mode);
    default: break;
  }
  if (const MiniFloat* mini = mini_float(type)) return rounded(x, *mini, saturate);
  if (const int bits = narrow_bits(type)) return wrapped_to(x, bits, target);
  return x.to(target);
}

at::Tensor to_torch(const onnx::Tensor& tensor) {
  using onnx::Type;
  const at::ScalarType type = scalar_type(tensor.type, fmt::format("tensor '{}'", tensor.name));
  if (mini_float(tensor.type) != nullptr) {
    const at::Tensor values = at::tensor(mini_float_values(tensor.type), at::kFloat);
    return values.index_select(0, copied(tensor, at::kByte).to(at::kLong).flatten()).reshape(tensor.shape);
  }
  switch (tensor.type) {
    case Type::kUint16: return copied(tensor, at::kShort).to(type).bitwise_and(0xFFFF);
    case Type::kUint32: return copied(tensor, at::kInt).to(type).bitwise_and(std::int64_t{0xFFFFFFFF});
    case Type::kFloat16: return copied(tensor, at::kHalf).to(type);
    case Type::kBfloat16: return copied(tensor, at::kBFloat16).to(type);
    default: return copied(tensor, type);
  }
}

}  // namespace atcav::plugin
