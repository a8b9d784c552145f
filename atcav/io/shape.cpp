#include "atcav/io/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace atcav::io {

std::optional<std::size_t> byte_size(const Shape& shape, Dtype dtype) {
  Index bytes = static_cast<Index>(item_size(dtype));
  bool empty = false;
  for (const Index size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, size, &bytes)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : static_cast<std::size_t>(bytes);
}

std::string to_string(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace atcav::io
