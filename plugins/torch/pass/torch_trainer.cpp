#include "plugins/torch/pass/torch_trainer.h"

#include <c10/util/Exception.h>

#include <algorithm>

namespace atcav::plugin {
namespace {

using stats::AutoencoderTrainer;
using stats::SparseAutoencoder;

at::Tensor view_of(const MatrixFRef& rows) {
  return at::from_blob(const_cast<float*>(rows.data()), {rows.rows(), rows.cols()}, {rows.outerStride(), 1},
                       at::kFloat);
}

at::Tensor index_tensor(std::span<const Index> rows) {
  return at::from_blob(const_cast<Index*>(rows.data()), {static_cast<std::int64_t>(rows.size())}, at::kLong);
}

MatrixF matrix_of(const at::Tensor& values) {
  MatrixF matrix(values.size(0), values.size(1));
  at::from_blob(matrix.data(), values.sizes(), at::kFloat).copy_(values);
  return matrix;
}

// Where they fit the rows lie on the device.
at::Tensor near(const at::Tensor& rows, const at::Device& device) {
  try {
    return rows.to(device);
  } catch (const c10::Error&) {
    return rows;
  }
}

struct Weights {
  at::Tensor values;
  at::Tensor mean;
  at::Tensor square;

  void start(const MatrixF& from, const at::Device& device) {
    values = view_of(from).to(device, at::kFloat, /*non_blocking=*/false, /*copy=*/true);
    mean = at::zeros_like(values);
    square = at::zeros_like(values);
  }
  void move(const at::Tensor& slope, double rate, double momentum_left, double squares_left) {
    mean.add_(slope - mean, 1 - AutoencoderTrainer::kMomentum);
    square.add_(slope * slope - square, 1 - AutoencoderTrainer::kSquares);
    values.addcdiv_(mean, (square / (1 - squares_left)).sqrt_().add_(AutoencoderTrainer::kEpsilon),
                    -rate / (1 - momentum_left));
  }
  void restart(const at::Tensor& features, const at::Tensor& with) {
    values.index_copy_(0, features, with);
    mean.index_fill_(0, features, 0);
    square.index_fill_(0, features, 0);
  }
};

class TorchTrainer : public AutoencoderTrainer {
 public:
  TorchTrainer(const MatrixFRef& rows, SparseAutoencoder start, const at::Device& device)
      : start_(std::move(start)), device_(device), rows_(near(view_of(rows), device)) {
    centre_ = view_of(start_.centre.transpose()).to(device_, at::kFloat, false, /*copy=*/true);
    encoder_.start(start_.encoder, device_);
    decoder_.start(start_.decoder, device_);
    uses_ = at::zeros({start_.decoder.rows()}, at::TensorOptions(device_).dtype(at::kLong));
  }

  void step(std::span<const Index> rows, float rate) override {
    const at::NoGradGuard no_grad;
    const at::Tensor y =
        (rows_.index_select(0, index_tensor(rows).to(rows_.device())).to(device_) - centre_) / start_.scale;
    const auto [largest, features] = at::mm(y, encoder_.values.t()).topk(start_.active, 1);
    const at::Tensor codes = at::zeros({y.size(0), decoder_.values.size(0)}, y.options())
                                 .scatter_(1, features, largest.clamp_min(0));
    errors_ = at::mm(codes, decoder_.values) - y;
    const at::Tensor used = codes > 0;
    uses_ += used.sum(0);
    const at::Tensor slopes = at::mm(errors_, decoder_.values.t()) * used;
    const double share = 2.0 / static_cast<double>(y.size(0));
    at::Tensor down = at::mm(codes.t(), errors_) * share;
    down -= (down * decoder_.values).sum(1, true) * decoder_.values;
    momentum_left_ *= kMomentum;
    squares_left_ *= kSquares;
    decoder_.move(down, rate, momentum_left_, squares_left_);
    encoder_.move(at::mm(slopes.t(), y) * share, rate, momentum_left_, squares_left_);
    decoder_.values /= decoder_.values.norm(2, {1}, true).clamp_min_(1e-30);
  }

  std::vector<Index> take_uses() override {
    const at::Tensor here = uses_.clone().cpu();
    uses_.zero_();
    const auto* values = here.data_ptr<std::int64_t>();
    return {values, values + here.numel()};
  }

  void restart(std::span<const Index> features) override {
    const at::NoGradGuard no_grad;
    const at::Tensor lengths = errors_.norm(2, {1});
    const auto most = std::min<std::int64_t>(static_cast<std::int64_t>(features.size()),
                                             lengths.gt(0).sum().item<std::int64_t>());
    if (most == 0) return;
    const at::Tensor worst = std::get<1>(lengths.topk(most));
    const at::Tensor ways = -errors_.index_select(0, worst) / lengths.index_select(0, worst).unsqueeze(1);
    const at::Tensor which = index_tensor(features.first(static_cast<std::size_t>(most))).to(device_);
    decoder_.restart(which, ways);
    encoder_.restart(which, ways);
  }

  SparseAutoencoder finish() override {
    start_.encoder = matrix_of(encoder_.values);
    start_.decoder = matrix_of(decoder_.values);
    return std::move(start_);
  }

 private:
  SparseAutoencoder start_;
  at::Device device_;
  at::Tensor rows_;  // on the device or here
  at::Tensor centre_;
  Weights encoder_, decoder_;
  at::Tensor uses_;
  at::Tensor errors_;  // ŷ - y of the last step
  double momentum_left_ = 1;
  double squares_left_ = 1;
};

}  // namespace

std::shared_ptr<AutoencoderTrainer> start_torch_trainer(const MatrixFRef& rows,
                                                        const SparseAutoencoder& start,
                                                        const at::Device& device) {
  return std::make_shared<TorchTrainer>(rows, start, device);
}

}  // namespace atcav::plugin
