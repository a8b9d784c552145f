#include "comm/comm.h"

#include <atomic>
#include <stdexcept>
#include <utility>

namespace atcav::comm {
namespace {

std::atomic<Ranks*> handed_in = nullptr;

Ranks& ranks() {
  Ranks* const given = handed_in;
  return given != nullptr ? *given : own_ranks();
}

}  // namespace

int rank() { return ranks().rank(); }
int size() { return ranks().size(); }
int local_rank() { return ranks().local_rank(); }
void broadcast(std::span<std::byte> bytes, int from) { ranks().broadcast(bytes, from); }
std::int64_t bytes_sent() { return ranks().bytes_sent(); }

ScopedRanks::ScopedRanks(std::shared_ptr<Ranks> ranks) : ranks_(std::move(ranks)) {
  Ranks* nobody = nullptr;
  if (ranks_ && !handed_in.compare_exchange_strong(nobody, ranks_.get()))
    throw std::invalid_argument("[run] another run is shared between processes, expected one at a time");
}

ScopedRanks::~ScopedRanks() {
  if (ranks_) handed_in = nullptr;
}

}  // namespace atcav::comm
