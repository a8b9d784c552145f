#include "plugins/torch/ops/index_nd.h"

namespace atcav::plugin {

at::Tensor wrapped(const at::Tensor& index, std::int64_t size) {
  const at::Tensor whole = index.to(at::kLong);
  return at::where(whole < 0, whole + size, whole);
}

at::Tensor row_numbers(const at::Tensor& index, const Sizes& shape) {
  Sizes shape_of_rows(index.sizes().begin(), index.sizes().end() - 1);
  at::Tensor row = at::zeros(shape_of_rows, index.options().dtype(at::kLong));
  for (std::int64_t i = 0; i < index.size(-1); ++i) {
    const auto size = shape[static_cast<std::size_t>(i)];
    const at::Tensor coordinate = wrapped(index.select(-1, i), size);
    TORCH_CHECK_INDEX(coordinate.numel() == 0 || (coordinate.min().item<std::int64_t>() >= 0 &&
                                                  coordinate.max().item<std::int64_t>() < size),
                      "an index lies outside [", -size, ", ", size, ")");
    row = row * size + coordinate;
  }
  return row;
}

at::Tensor rows_of(const at::Tensor& x, const Sizes& shape, std::size_t k) {
  Sizes flat = {c10::multiply_integers(c10::IntArrayRef(shape).slice(0, k))};
  flat.insert(flat.end(), shape.begin() + static_cast<std::ptrdiff_t>(k), shape.end());
  return x.reshape(flat);
}

}  // namespace atcav::plugin
