#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "atcav/discover.h"
#include "atcav/groups.h"
#include "pipeline/layer_positions.h"
#include "stats/sparse_autoencoder.h"

// Candidate concepts at a layer: found in some inputs, looked for in others.
namespace atcav {

// Of each candidate the rows that show it.
using Members = std::vector<std::vector<Index>>;

struct FoundCandidates {
  Matrix atoms;                // candidates × channels: what the finder made of each, less the random mean
  std::vector<Index> numbers;  // as the finder, or the file, counts them
  std::vector<std::vector<Index>> merged;  // of others that went into it
  std::function<Members(const MatrixFRef& rows)> members;

  Index count() const { return atoms.rows(); }
};

struct FindOptions {
  Finder finder = Finder::kKMeans;
  Index candidates = 8;
  double merge = 0.95;
  std::uint64_t seed = 0;
  std::uint64_t key = 0;  // of class and layer
  int threads = 0;
  stats::StartTrainer trainer = {};  // of a sparse autoencoder
};

// The largest first. Two whose atoms have a cosine above options.merge are one, the smaller going into the
// larger.
FoundCandidates find_candidates(const MatrixFRef& rows, const Vector& random_mean,
                                const FindOptions& options);

// Directions that are there already: a row shows one if it goes further along it than all but a twentieth of
// the random rows.
FoundCandidates given_candidates(const Matrix& directions, const MatrixFRef& random_rows,
                                 const Vector& random_mean, double merge);

// The mean of a candidate's rows in each input, and of these in each group of inputs (without groups each
// input is one), a row for each group that shows it.
MatrixF means_by_group(const LayerPositions& positions, const std::vector<Index>& members,
                       const Groups& groups);

// How many inputs have one of the rows.
Index inputs_with(const LayerPositions& positions, const std::vector<Index>& members);

// The inputs that show it furthest along `direction` (from the random mean, in lengths of it), one patch
// each.
std::vector<ShownPatch> strongest_patches(const LayerPositions& positions, const std::vector<Index>& members,
                                          const Vector& direction, const Vector& random_mean);

}  // namespace atcav
