#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/io/dtype.h"

// Shapes of N-d arrays; () is a single number.
namespace atcav::io {

using Shape = std::vector<Index>;

// Bytes of an array of this shape. Nothing when a dimension is negative or when the sizes that are
// not 0 multiply to more than 2^63-1 bytes: such a shape is a lie, even beside a 0.
std::optional<std::size_t> byte_size(const Shape& shape, Dtype dtype);

// As Python writes it: "()", "(3,)", "(3, 4)".
std::string to_string(const Shape& shape);

}  // namespace atcav::io
