#include "tests/simulation/patch_network.h"

#include <algorithm>
#include <utility>

#include "atcav/random.h"
#include "data/array/npy.h"

namespace atcav::simulation {
namespace {

MatrixF values_of(const std::vector<model::InputBatch>& inputs) {
  return Eigen::Map<const MatrixF>(inputs[0].reals.data(), inputs[0].rows(), kChannels * kPatches);
}

}  // namespace

PatchNetwork::PatchNetwork(Vector head, Matrix curve) : head_(std::move(head)), curve_(std::move(curve)) {
  facts_.inputs = {{"x", {-1, kChannels, kSide, kSide}, false}};
  facts_.layers = {
      {"patches", "/patches", "Conv", "patches", {kChannels, kSide, kSide}, kChannels * kPatches, kChannels}};
  facts_.logits = "logits";
  facts_.logit_count = 1;
  facts_.hash = "patches";
}

std::vector<RowsPtr> PatchNetwork::activations(std::span<const std::size_t> /*layers*/,
                                               const std::vector<model::InputBatch>& inputs,
                                               model::Pool pool) {
  const MatrixF values = values_of(inputs);
  if (pool == model::Pool::kNone) return {std::make_shared<HostRows>(values)};
  return {std::make_shared<HostRows>(MatrixF(means_of(values).cast<float>()))};
}

Matrix PatchNetwork::slopes(const Matrix& means) const {
  return (means * curve_).rowwise() + head_.transpose();
}

// Of the pooled layer: the sum over positions, each of which has a ninth of the mean's slope.
model::WithLogits PatchNetwork::gradients(std::span<const std::size_t> /*layers*/,
                                          const std::vector<model::InputBatch>& inputs,
                                          const std::vector<Index>& /*targets*/, model::Pool /*pool*/) {
  return {{std::make_shared<HostRows>(MatrixF(slopes(means_of(values_of(inputs))).cast<float>()))},
          logits(inputs)};
}

RowsPtr PatchNetwork::logits(const std::vector<model::InputBatch>& inputs) {
  return logits_from(0, values_of(inputs), inputs);
}

RowsPtr PatchNetwork::logits_from(std::size_t /*layer*/, const MatrixFRef& activations,
                                  const std::vector<model::InputBatch>& /*inputs*/) {
  const Matrix means = means_of(activations);
  const Vector curved = (means * curve_).cwiseProduct(means).rowwise().sum() / 2;
  return std::make_shared<HostRows>(MatrixF((means * head_ + curved).cast<float>()));
}

model::TailGradients PatchNetwork::tail_gradients(std::size_t layer, const Rows& activations,
                                                  const model::Steps& steps,
                                                  const std::vector<model::InputBatch>& inputs,
                                                  std::span<const std::vector<Index>> targets) {
  const MatrixF at = model::moved(activations, steps);
  const Matrix slope = slopes(means_of(at)) / static_cast<double>(kPatches);
  MatrixF placed(at.rows(), at.cols());
  for (Index c = 0; c < kChannels; ++c)
    placed.middleCols(c * kPatches, kPatches) = slope.col(c).cast<float>().replicate(1, kPatches);
  model::TailGradients found{logits_from(layer, at, inputs), {}};
  for (std::size_t t = 0; t < targets.size(); ++t)
    found.gradients.push_back(std::make_shared<HostRows>(placed));
  return found;
}

Matrix means_of(const MatrixF& pictures) {
  Matrix means(pictures.rows(), kChannels);
  for (Index c = 0; c < kChannels; ++c)
    means.col(c) = pictures.middleCols(c * kPatches, kPatches).cast<double>().rowwise().mean();
  return means;
}

Matrix draw_textures(Index count, std::uint64_t seed) {
  Matrix textures = Matrix::Zero(count, kChannels);
  for (Index t = 0; t < count; ++t) {
    Stream stream(seed, {kTaskSimulation, 1, static_cast<std::uint64_t>(t)});
    const std::vector<Index> order = stream.permutation(kChannels);
    for (Index i = 0; i < kChannels / 5; ++i) textures(t, order[i]) = 1 + stream.uniform();
  }
  return textures;
}

MatrixF draw_pictures(Index count, const Matrix& textures, const std::vector<Index>& from, std::uint64_t seed,
                      Index of_each) {
  MatrixF pictures(count, kChannels * kPatches);
  for (Index row = 0; row < count; ++row) {
    Stream stream(seed, {kTaskSimulation, 2, static_cast<std::uint64_t>(row)});
    std::vector<Index> own;
    for (Index i = 0; i < of_each; ++i) own.push_back(from[stream.below(std::ssize(from))]);
    for (Index p = 0; p < kPatches; ++p) {
      const Index texture = own[stream.below(of_each)];
      for (Index c = 0; c < kChannels; ++c)
        pictures(row, c * kPatches + p) =
            static_cast<float>(std::max(0.0, textures(texture, c) + 0.3 * stream.normal()));
    }
  }
  return pictures;
}

Discovered discover_in(const World& world, const Vector& head, const Matrix& curve, DiscoverConfig config) {
  const testing_support::TempFolder folder;
  const auto write = [&](const std::string& name, const MatrixF& rows) {
    std::vector<Index> shape = {rows.rows(), kChannels, kSide, kSide};
    data::write_npy(folder.file(name),
                    data::TensorView(std::span(rows.data(), static_cast<std::size_t>(rows.size())), shape));
    return folder.file(name);
  };
  config.run.layers = {"patches"};
  config.run.classes = {{"things", 0, write("things.npy", world.of_class)}};
  config.run.random = write("random.npy", world.random);
  config.run.options.permutations = 99;
  return discover(config, {}, std::make_shared<PatchNetwork>(head, curve));
}

}  // namespace atcav::simulation
