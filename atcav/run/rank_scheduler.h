#pragma once

#include <functional>
#include <vector>

#include "atcav/base/rows.h"

namespace atcav {

// Deals blocks of examples out to the ranks (comm/comm.h) in turn: the one whose turn it is computes, rank 0
// gathers and has them all. Each block is computed as it would be alone, so the results are the same for any
// number of ranks. All ranks must ask for the same blocks in the same order.
class RankScheduler {
 public:
  explicit RankScheduler(std::size_t layers) : layers_(layers) {}

  // One block per layer on rank 0; other ranks get what they computed, or nothing.
  std::vector<RowsPtr> next(const std::function<std::vector<RowsPtr>()>& compute);

 private:
  std::size_t layers_;
  Index turn_ = 0;  // blocks so far
};

}  // namespace atcav
