#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

#include "atcav/examples.h"

namespace atcav::model {
namespace {

constexpr std::size_t kWorthKeeping = std::size_t{1} << 20;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

struct Block {
  void* start = nullptr;
  std::size_t bytes = 0;
};

struct Spare {
  std::mutex mutex;
  std::array<Block, 3> blocks;  // the one that came first is dropped first
};

// Never destroyed: threads may give back until the process ends.
Spare& spare() {
  static auto* const kept = new Spare;
  return *kept;
}

std::size_t rounded(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

}  // namespace

void* take_spare(std::size_t bytes) {
  if (bytes < kWorthKeeping) return ::operator new(bytes);
  bytes = rounded(bytes);
  {
    Spare& kept = spare();
    const std::lock_guard lock(kept.mutex);
    const auto found = std::ranges::find(kept.blocks, bytes, &Block::bytes);
    if (found != kept.blocks.end()) return std::exchange(*found, {}).start;
  }
  void* const block = std::aligned_alloc(kHugePage, bytes);
  if (block == nullptr) throw std::bad_alloc();
  ::madvise(block, bytes, MADV_HUGEPAGE);  // advice: where it is refused, pages are small
  return block;
}

void give_spare(void* block, std::size_t bytes) noexcept {
  if (bytes < kWorthKeeping) {
    ::operator delete(block);
    return;
  }
  Spare& kept = spare();
  Block dropped{block, rounded(bytes)};
  {
    const std::lock_guard lock(kept.mutex);
    std::rotate(kept.blocks.begin(), kept.blocks.begin() + 1, kept.blocks.end());
    std::swap(kept.blocks.back(), dropped);
  }
  std::free(dropped.start);
}

}  // namespace atcav::model
