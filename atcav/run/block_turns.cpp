#include "atcav/run/block_turns.h"

#include "atcav/comm/comm.h"

namespace atcav {

std::vector<MatrixF> BlockTurns::next(const std::function<std::vector<MatrixF>()>& compute) {
  const int owner = static_cast<int>(turn_++ % comm::size());
  std::vector<MatrixF> blocks;
  if (owner == comm::rank()) blocks = compute();
  if (owner == 0 || comm::size() == 1) return blocks;
  if (owner == comm::rank()) {
    for (const MatrixF& block : blocks) comm::send(block, 0);
  } else if (comm::rank() == 0) {
    for (std::size_t layer = 0; layer < layers_; ++layer) blocks.push_back(comm::receive(owner));
  }
  return blocks;
}

}  // namespace atcav
