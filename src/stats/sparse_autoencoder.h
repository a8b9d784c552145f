#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "atcav/matrix.h"

// A top-k sparse autoencoder (Makhzani & Frey 2014; Gao et al. 2024): rows as a centre and a few of many
// directions. With b the mean of the rows and s the root mean square of |x - b|,
//   y = (x - b)/s,   z = the k largest values of W_enc·y that are above 0,   ŷ = W_decᵀ·z,
// and |y - ŷ|² is made small by Adam (Kingma & Ba 2015). Rows of W_dec, the features, have length 1.
//
// Features start at rows that are far from each other (the start of stats/kmeans.h), encoder and decoder
// alike. Batches of kAutoencoderBatch rows come in random order, at least 1,000 of them and four times all
// rows; the rate is even in the first half and falls to 0 in the second. Until two thirds are done, features
// that next to no row had in the last hundred batches start anew at the rows that were told worst.
//
//   SparseAutoencoder found = train_autoencoder(rows, {.features = 64});
//   strongest_features(others, found);   // of each row the feature that it has most of
namespace atcav::stats {

inline constexpr Index kAutoencoderBatch = 512;

struct SparseAutoencoder {
  MatrixF encoder;         // features × columns
  MatrixF decoder;         // features × columns, rows of length 1
  Eigen::VectorXf centre;  // b
  float scale = 1;         // s
  Index active = 1;        // k
};

struct AutoencoderOptions {
  Index features = 8;
  std::uint64_t seed = 0;
  std::uint64_t key = 0;  // of the task: which rows these are
  int threads = 0;        // never changes a result
};

// How many features a row may have: an eighth of them, from 2 to 32.
Index active_features(Index features);

// The arithmetic of the training: on the CPU, or where a network runs (TrainsAutoencoders). What is done when
// is decided here.
class AutoencoderTrainer {
 public:
  static constexpr float kMomentum = 0.9F;  // Adam's
  static constexpr float kSquares = 0.999F;
  static constexpr float kEpsilon = 1e-8F;

  virtual ~AutoencoderTrainer() = default;
  // One step of Adam on the mean of |y - ŷ|² over these rows. The decoder's gradient is taken across its
  // features, and they have length 1 again after it.
  virtual void step(std::span<const Index> rows, float rate) = 0;
  // Of each feature the rows that had it in the steps since the last call.
  virtual std::vector<Index> take_uses() = 0;
  // These start anew, as what is left of the rows of the last step that are told worst, the worst first;
  // Adam forgets them.
  virtual void restart(std::span<const Index> features) = 0;
  virtual SparseAutoencoder finish() = 0;
};

// A model::Model may be one too, which trains where it runs; null: on the CPU.
class TrainsAutoencoders {
 public:
  virtual ~TrainsAutoencoders() = default;
  virtual std::shared_ptr<AutoencoderTrainer> start_autoencoder(const MatrixFRef& rows,
                                                                const SparseAutoencoder& start) const = 0;
};

// The rows stay where they are until the training is done; null: on the CPU.
using StartTrainer = std::function<std::shared_ptr<AutoencoderTrainer>(const MatrixFRef& rows,
                                                                       const SparseAutoencoder& start)>;
std::shared_ptr<AutoencoderTrainer> start_cpu_trainer(const MatrixFRef& rows, const SparseAutoencoder& start,
                                                      int threads);

// Fewer features than asked for where fewer rows differ. std::invalid_argument without rows or features.
SparseAutoencoder train_autoencoder(const MatrixFRef& rows, const AutoencoderOptions& options,
                                    const StartTrainer& elsewhere = {});

// -1 where a row has none.
std::vector<Index> strongest_features(const MatrixFRef& rows, const SparseAutoencoder& autoencoder,
                                      int threads = 0);

}  // namespace atcav::stats
