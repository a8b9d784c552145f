#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atcav/discover.h"
#include "atcav/model.h"
#include "tests/support/temp_folder.h"

// A world whose concepts are known, for discoveries: pictures of kSide × kSide patches, each of them one of a
// few sparse textures and noise. The network's layer is its input (channels × positions); its one logit sees
// the mean m over positions,
//   logit = head·m + m'·curve·m/2
// so what a class uses is known exactly.
namespace atcav::simulation {

inline constexpr Index kChannels = 32;
inline constexpr Index kSide = 3;
inline constexpr Index kPatches = kSide * kSide;

class PatchNetwork : public model::Model {
 public:
  PatchNetwork(Vector head, Matrix curve);
  const model::Facts& facts() const override { return facts_; }
  std::vector<RowsPtr> activations(std::span<const std::size_t> layers,
                                   const std::vector<model::InputBatch>& inputs, model::Pool pool) override;
  model::WithLogits gradients(std::span<const std::size_t> layers,
                              const std::vector<model::InputBatch>& inputs, const std::vector<Index>& targets,
                              model::Pool pool) override;
  RowsPtr logits(const std::vector<model::InputBatch>& inputs) override;
  RowsPtr logits_from(std::size_t layer, const MatrixFRef& activations,
                      const std::vector<model::InputBatch>& inputs) override;
  model::TailGradients tail_gradients(std::size_t layer, const Rows& activations, const model::Steps& steps,
                                      const std::vector<model::InputBatch>& inputs,
                                      std::span<const std::vector<Index>> targets) override;

 private:
  Matrix slopes(const Matrix& means) const;

  Vector head_;
  Matrix curve_;
  model::Facts facts_;
};

// Textures × channels: some channels of each are on.
Matrix draw_textures(Index count, std::uint64_t seed);

// Pictures × (channels · positions). Each is made of `of_each` of the textures in `from`, drawn anew, and
// noise of sd 0.3; negative values are cut, as behind a ReLU.
MatrixF draw_pictures(Index count, const Matrix& textures, const std::vector<Index>& from, std::uint64_t seed,
                      Index of_each = 3);
Matrix means_of(const MatrixF& pictures);

// Arrays on disk and a configuration with one class, "things", and random pictures.
struct World {
  MatrixF of_class;
  MatrixF random;
};
Discovered discover_in(const World& world, const Vector& head, const Matrix& curve, DiscoverConfig config);

}  // namespace atcav::simulation
