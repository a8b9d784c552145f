#pragma once

#include "plugins/torch/libtorch.h"
#include "plugins/torch/onnx/tensor.h"

// ONNX element types on LibTorch, which has fewer. uint16, uint32 and uint64 are held in the next wider
// signed type (uint64 in int64, bit for bit). float16 and bfloat16 are held as float32: LibTorch has few
// CPU kernels for them, and results are fp32 anyway; a Cast to them still rounds.
// Numbers of eight bits and fewer: see mini_float.h.
namespace atcav::plugin {

// std::runtime_error for types without a counterpart (strings, complex numbers); `what` names the tensor or
// attribute in the message.
at::ScalarType scalar_type(onnx::Type type, const std::string& what);

// Whether LibTorch has no such type and its numbers are held in one that has more of them.
bool is_held_wider(onnx::Type type);

// x in that type as a cast would have it: rounded, wrapped around, or cut off at the largest where `saturate`
// and the type is real. `round_mode` is for powers of two alone (float8e8m0): up, down or nearest.
at::Tensor cast_to(const at::Tensor& x, onnx::Type type, const std::string& what, bool saturate = true,
                   const std::string& round_mode = "up");

// A copy on the CPU; the ONNX tensor may be dropped afterwards.
at::Tensor to_torch(const onnx::Tensor& tensor);

}  // namespace atcav::plugin
