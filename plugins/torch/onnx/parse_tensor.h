#pragma once

#include "plugins/torch/onnx/external_data.h"
#include "plugins/torch/onnx/tensor.h"

// TensorProto → Tensor. Every encoding the format has: raw bytes, the typed lists (with 8-bit and 16-bit
// numbers, bool, float16 and bfloat16 in the int32 list, uint32 in the uint64 list) and external files.
namespace atcav::onnx {

// `bytes` is one serialised TensorProto, as in an initializer, an attribute or a .pb file.
// std::runtime_error if the message is broken, the shape too large, or the data do not fit the shape.
Tensor parse_tensor(const Bytes& bytes, const ExternalData& external = no_external_data());

}  // namespace atcav::onnx
