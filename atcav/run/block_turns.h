#pragma once

#include <functional>
#include <vector>

#include "atcav/base/matrix.h"

namespace atcav {

// Blocks of examples go round the ranks (comm/comm.h): the one whose turn it is computes, rank 0 gathers and
// has them all. Each block is computed as it would be alone, so the results are the same for any number of
// ranks. All ranks must ask for the same blocks in the same order.
class BlockTurns {
 public:
  explicit BlockTurns(std::size_t layers) : layers_(layers) {}

  // One matrix a layer on rank 0; other ranks get what they computed, or nothing.
  std::vector<MatrixF> next(const std::function<std::vector<MatrixF>()>& compute);

 private:
  std::size_t layers_;
  Index turn_ = 0;  // blocks so far
};

}  // namespace atcav
