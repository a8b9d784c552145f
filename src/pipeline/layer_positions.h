#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/opened_set.h"
#include "pipeline/session.h"

// Activations at single positions of a layer: patches of a convolution's result, tokens of a sequence. A
// layer without positions, and examples whose mask leaves one token, have one each: the whole row.
namespace atcav {

struct LayerPositions {
  MatrixF rows;                  // inputs below each other, their positions in order: × channels
  std::vector<Index> begins;     // of each input its first row, and one behind the last
  std::vector<Index> positions;  // of each row: where in the layer
  Matrix pooled;                 // inputs × channels: the mean over positions that count
  Index of_input = 1;            // positions that the layer has

  Index inputs() const { return std::ssize(begins) - 1; }
  // Of the input that a row belongs to.
  std::vector<Index> input_of_row() const;
};

// Of inputs whose positions are more than `most` together (0: kMostNumbers over the channels) some are kept,
// drawn from a stream of the seed, the set and the input. `layers` as session.layers; session.pool must be
// the mean.
inline constexpr double kMostNumbers = 6.7e7;
std::vector<LayerPositions> read_positions(Session& session, OpenedSet& set, std::uint64_t seed, Index most,
                                           const Progress& progress = {});

// The means alone.
std::vector<Matrix> read_pooled(Session& session, OpenedSet& set, const Progress& progress = {});

}  // namespace atcav
