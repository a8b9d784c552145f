#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

// The number types arrays may hold. Floats are data; integers are model inputs such as token ids.
namespace atcav::io {

enum class Dtype { kBool, kU8, kI8, kI16, kI32, kI64, kF16, kBF16, kF32, kF64 };

std::size_t item_size(Dtype dtype);
bool is_integer(Dtype dtype);  // kBool counts as one

// The name in .safetensors files and in messages: "F32", "BOOL".
std::string_view dtype_name(Dtype dtype);
std::optional<Dtype> find_dtype(std::string_view name);

// Kind and size in .npy files, without the byte order: "f4", "b1". NumPy has no bfloat16: empty.
std::string_view npy_code(Dtype dtype);
std::optional<Dtype> find_npy_code(std::string_view code);

}  // namespace atcav::io
