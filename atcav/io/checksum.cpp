#include "atcav/io/checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace atcav::io {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = kLanes * sizeof(std::uint64_t);
constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // odd, so that multiplying by it has an inverse

// High bits reach the low ones by the shift, low bits the high ones by the product.
std::uint64_t step(std::uint64_t state, std::uint64_t word) {
  state ^= word;
  state ^= state >> 32;
  return std::rotl(state * kFactor, 29);
}

void add_block(std::array<std::uint64_t, kLanes>& lanes, const std::byte* block) {
  std::array<std::uint64_t, kLanes> words{};
  std::memcpy(words.data(), block, kBlock);
  for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = step(lanes[lane], words[lane]);
}

}  // namespace

std::string checksum(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, kLanes> lanes{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = lane;
  const std::size_t whole = bytes.size() / kBlock * kBlock;
  for (std::size_t at = 0; at < whole; at += kBlock) add_block(lanes, bytes.data() + at);
  std::array<std::byte, kBlock> rest{};
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end(), rest.begin());
  add_block(lanes, rest.data());
  std::uint64_t sum = bytes.size();
  for (const std::uint64_t lane : lanes) sum = step(sum, lane);
  return fmt::format("{:016x}", sum);
}

}  // namespace atcav::io
