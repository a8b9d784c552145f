#pragma once

#include <cmath>
#include <stdexcept>

#include "atcav/model.h"

// A closed-form test network: logits = tanh(x·A)·B.
//
//   TestingModel model;             // 6 numbers → layer "hidden" (x·A) → layer "active" (tanh) → 3 logits
//   model.batch(x)                  // a matrix with 6 columns as its input
//
// Gradients are known: B's column at "active", (1 − tanh²(x·A)) ∘ B's column at "hidden". "hidden" has the
// shape 4 × 2 (channels × positions), so that pooling does something there; "active" is flat.
namespace atcav::model {

class TestingModel : public Model {
 public:
  static constexpr Index kInputs = 6, kHidden = 8, kPositions = 2, kLogits = 3;

  explicit TestingModel(double seed = 0)
      : a(waves(kInputs, kHidden, seed)), b(waves(kHidden, kLogits, seed + 1)) {
    facts_.inputs = {{"x", {-1, kInputs}, false}};
    facts_.layers = {{"hidden",
                      "/net/first/MatMul",
                      "MatMul",
                      "net.first",
                      {kHidden / kPositions, kPositions},
                      kHidden,
                      kHidden / kPositions},
                     {"active", "/net/tanh/Tanh", "Tanh", "net.tanh", {kHidden}, kHidden, kHidden}};
    facts_.modules = {{"net.first", "Linear", 0, ""}, {"net.tanh", "Tanh", 1, ""}};
    facts_.logits = "logits";
    facts_.logit_count = kLogits;
    facts_.hash = "testing model " + std::to_string(seed);
  }

  const Facts& facts() const override { return facts_; }

  std::vector<RowsPtr> activations(std::span<const std::size_t> layers, const std::vector<InputBatch>& inputs,
                                   Pool pool) override {
    const MatrixF hidden = rows_of(inputs) * a;
    std::vector<RowsPtr> result;
    for (const std::size_t layer : layers)
      result.push_back(given(layer, layer == 0 ? hidden : MatrixF(hidden.array().tanh()), hidden, pool,
                             1.0F / kPositions));
    return result;
  }

  WithLogits gradients(std::span<const std::size_t> layers, const std::vector<InputBatch>& inputs,
                       const std::vector<Index>& targets, Pool pool) override {
    const MatrixF hidden = rows_of(inputs) * a;
    const MatrixF active = hidden.array().tanh();
    MatrixF slope(active.rows(), kHidden);
    for (Index i = 0; i < slope.rows(); ++i)
      slope.row(i) = b.col(targets.at(targets.size() == 1 ? 0 : static_cast<std::size_t>(i))).transpose();
    std::vector<RowsPtr> result;
    for (const std::size_t layer : layers) {
      const MatrixF here = layer == 0 ? MatrixF(slope.array() * (1 - active.array().square())) : slope;
      result.push_back(given(layer, here, hidden, pool, 1.0F));
    }
    return {std::move(result), logits(inputs)};
  }

  WithLogits activations_with_logits(std::span<const std::size_t> layers,
                                     const std::vector<InputBatch>& inputs, Pool pool) override {
    std::vector<RowsPtr> found = activations(layers, inputs, pool);
    examples_run -= inputs[0].rows();
    return {std::move(found), logits(inputs)};
  }

  RowsPtr logits(const std::vector<InputBatch>& inputs) override {
    return logits_from(0, rows_of(inputs) * a, {});
  }

  RowsPtr logits_from(std::size_t layer, const MatrixFRef& activations,
                      const std::vector<InputBatch>&) override {
    const MatrixF active = layer == 0 ? MatrixF(activations.array().tanh()) : MatrixF(activations);
    return std::make_shared<HostRows>(active * b);
  }

  TailGradients tail_gradients(std::size_t layer, const Rows& activations, const Steps& steps,
                               const std::vector<InputBatch>& inputs,
                               std::span<const std::vector<Index>> targets) override {
    const MatrixF at = moved(activations, steps);
    TailGradients found{logits_from(layer, at, inputs), {}};
    for (const std::vector<Index>& target : targets) {
      MatrixF slope(at.rows(), kHidden);
      for (Index i = 0; i < at.rows(); ++i)
        slope.row(i) = b.col(target.at(target.size() == 1 ? 0 : static_cast<std::size_t>(i))).transpose();
      if (layer == 0) slope.array() *= 1 - at.array().tanh().square();
      found.gradients.push_back(std::make_shared<HostRows>(std::move(slope)));
    }
    return found;
  }

  static std::vector<InputBatch> batch(const MatrixF& x) {
    return {{{x.rows(), x.cols()}, {x.data(), x.data() + x.size()}, {}}};
  }

  MatrixF a, b;            // change them for a network that suits the test
  Index examples_run = 0;  // by activations, gradients and logits

 private:
  static MatrixF waves(Index rows, Index columns, double seed) {
    MatrixF values(rows, columns);
    for (Index i = 0; i < values.size(); ++i)
      values.data()[i] = static_cast<float>(std::sin(1 + 1.7 * static_cast<double>(i) + 2.3 * seed));
    return values;
  }

  MatrixF rows_of(const std::vector<InputBatch>& inputs) {
    if (inputs.size() != 1 || static_cast<Index>(inputs[0].reals.size()) != inputs[0].rows() * kInputs)
      throw std::invalid_argument("[TestingModel] inputs must be one batch of rows with 6 real numbers");
    examples_run += inputs[0].rows();
    return Eigen::Map<const MatrixF>(inputs[0].reals.data(), inputs[0].rows(), kInputs);
  }

  static RowsPtr given(std::size_t layer, const MatrixF& values, const MatrixF& hidden, Pool pool,
                       float factor) {
    if (layer > 1) throw std::invalid_argument("[TestingModel] layers are 0 and 1");
    if (layer == 1 || pool == Pool::kNone) return std::make_shared<HostRows>(values);
    MatrixF pooled(values.rows(), kHidden / kPositions);
    for (Index c = 0; c < pooled.cols(); ++c) {
      const auto positions = values.middleCols(c * kPositions, kPositions);
      for (Index i = 0; i < pooled.rows(); ++i) {
        Index place = pool.token < 0 ? kPositions - 1 : pool.token;
        if (pool == Pool::kMax) hidden.row(i).segment(c * kPositions, kPositions).maxCoeff(&place);
        pooled(i, c) = pool == Pool::kMean ? factor * positions.row(i).sum() : positions(i, place);
      }
    }
    return std::make_shared<HostRows>(pooled);
  }

  Facts facts_;
};

}  // namespace atcav::model
