#include "plugins/torch/pass/held.h"

#include <algorithm>

#include "core/check.h"
#include "plugins/torch/import/plan.h"

namespace atcav::plugin {
namespace {

constexpr std::int64_t kBytesAtOnce = std::int64_t{1} << 30;  // of rows in double

at::Tensor from_memory(const MatrixF& values) {
  return at::from_blob(const_cast<float*>(values.data()), {values.rows(), values.cols()}, at::kFloat);
}

class DeviceDirections : public model::HeldDirections {
 public:
  DeviceDirections(const at::Device& device, const Matrix& directions)
      : HeldDirections(directions),
        columns_(at::from_blob(const_cast<double*>(directions.data()), {directions.rows(), directions.cols()},
                               at::kDouble)
                     .to(device)
                     .t()) {}

  Matrix products(const Rows& rows, int threads) const override {
    const auto* there = rows.as<Tensors>();
    if (there == nullptr || there->front().device() != columns_.device())
      return HeldDirections::products(rows, threads);
    return in_one_line([&] {
      try {
        return products_there(*there);
      } catch (const c10::OutOfMemoryError&) {
        return HeldDirections::products(rows, threads);
      }
    });
  }

 private:
  Matrix products_there(const Tensors& rows) const {
    const at::NoGradGuard no_grad;
    const auto row_bytes = columns_.size(0) * static_cast<std::int64_t>(sizeof(double));
    const std::int64_t step = std::max<std::int64_t>(1, kBytesAtOnce / row_bytes);
    Tensors parts;
    for (const at::Tensor& part : rows) {
      for (std::int64_t first = 0; first < part.size(0); first += step) {
        const at::Tensor some = part.narrow(0, first, std::min(step, part.size(0) - first));
        parts.push_back(at::mm(some.to(at::kDouble), columns_));
      }
    }
    const at::Tensor all = at::cat(parts);
    Matrix here(all.size(0), all.size(1));
    at::from_blob(here.data(), {here.rows(), here.cols()}, at::kDouble).copy_(all);
    return here;
  }

  at::Tensor columns_;  // d × k
};

}  // namespace

at::Tensor moved_rows(const at::Tensor& rows, const model::Steps& steps) {
  check_same("moved_rows", "columns", "activations", rows.size(1), "the steps", steps.directions.cols());
  const at::NoGradGuard no_grad;
  const auto count = static_cast<std::int64_t>(steps.coefficients.cols());
  const at::Tensor coefficients = from_memory(steps.coefficients).to(rows.device());
  const at::Tensor directions =
      from_memory(steps.directions).to(rows.device()).view({count, -1, rows.size(1)});
  at::Tensor step = coefficients.narrow(1, 0, 1) * directions[0];
  for (std::int64_t i = 1; i < count; ++i) step = step.add_(coefficients.narrow(1, i, 1) * directions[i]);
  return rows + step;
}

Eigen::RowVectorXd sum_there(const Tensors& parts) {
  return in_one_line([&] {
    const at::NoGradGuard no_grad;
    at::Tensor all = parts.front().sum(0, false, at::kDouble);
    for (std::size_t i = 1; i < parts.size(); ++i) all.add_(parts[i].sum(0, false, at::kDouble));
    Eigen::RowVectorXd here(all.size(0));
    at::from_blob(here.data(), {here.size()}, at::kDouble).copy_(all);
    return here;
  });
}

std::unique_ptr<const model::HeldDirections> hold_on(const at::Device& device, const Matrix& directions) {
  return in_one_line([&]() -> std::unique_ptr<const model::HeldDirections> {
    const at::NoGradGuard no_grad;
    try {
      return std::make_unique<DeviceDirections>(device, directions);
    } catch (const c10::OutOfMemoryError&) {
      return std::make_unique<model::HeldDirections>(directions);
    }
  });
}

}  // namespace atcav::plugin
