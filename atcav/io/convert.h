#pragma once

#include <cstddef>
#include <cstdint>

#include "atcav/base/matrix.h"
#include "atcav/io/dtype.h"

// Raw elements to C++ numbers: `count` consecutive elements at `from`, at any alignment.
// Float64 beyond float's range becomes infinite, int64 beyond 2^24 is rounded.
namespace atcav::io {

void convert(Dtype dtype, bool big_endian, const std::byte* from, Index count, float* to);
void convert(Dtype dtype, bool big_endian, const std::byte* from, Index count, double* to);
// Integer types only: is_integer(dtype).
void convert(Dtype dtype, bool big_endian, const std::byte* from, Index count, std::int64_t* to);

}  // namespace atcav::io
