#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atcav/matrix.h"

// The numbers arrays may hold, how many of them, and how their bytes become C++ numbers.
// Floats are data; integers are model inputs such as token ids.
namespace atcav::data {

enum class Dtype { kBool, kU8, kI8, kI16, kI32, kI64, kF16, kBF16, kF32, kF64 };

std::size_t item_size(Dtype dtype);
bool is_integer(Dtype dtype);  // kBool counts as one

// The name in .safetensors files and in messages: "F32", "BOOL".
std::string_view dtype_name(Dtype dtype);
std::optional<Dtype> find_dtype(std::string_view name);

// Kind and size in .npy files, without the byte order: "f4", "b1". NumPy has no bfloat16: empty.
std::string_view npy_code(Dtype dtype);
std::optional<Dtype> find_npy_code(std::string_view code);

// Sizes of the axes of an N-d array; () is a single number.
using Shape = std::vector<Index>;

// Bytes of an array of this shape. Nothing when a dimension is negative or when the sizes that are
// not 0 multiply to more than 2^63-1 bytes: such a shape is a lie, even beside a 0.
std::optional<std::size_t> byte_size(const Shape& shape, Dtype dtype);

// As Python writes it: "()", "(3,)", "(3, 4)".
std::string to_string(const Shape& shape);

// `count` consecutive elements at `from`, at any alignment. F16 and BF16 are converted exactly, NaN keeps its
// sign. F64 beyond float's range becomes infinite, integers beyond 2^24 are rounded.
void convert(Dtype dtype, bool big_endian, const std::byte* from, Index count, float* to);
void convert(Dtype dtype, bool big_endian, const std::byte* from, Index count, double* to);
// Integer types only: is_integer(dtype).
void convert(Dtype dtype, bool big_endian, const std::byte* from, Index count, std::int64_t* to);

}  // namespace atcav::data
