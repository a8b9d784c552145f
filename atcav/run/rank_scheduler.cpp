#include "atcav/run/rank_scheduler.h"

#include "atcav/comm/comm.h"

namespace atcav {

std::vector<RowsPtr> RankScheduler::next(const std::function<std::vector<RowsPtr>()>& compute) {
  const int owner = static_cast<int>(turn_++ % comm::size());
  std::vector<RowsPtr> blocks;
  if (owner == comm::rank()) blocks = compute();
  if (owner == 0 || comm::size() == 1) return blocks;
  if (owner == comm::rank()) {
    for (const RowsPtr& block : blocks) comm::send(block->host(), 0);
  } else if (comm::rank() == 0) {
    for (std::size_t layer = 0; layer < layers_; ++layer)
      blocks.push_back(std::make_shared<HostRows>(comm::receive(owner)));
  }
  return blocks;
}

}  // namespace atcav
