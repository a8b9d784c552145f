#include "atcav/io/sha256.h"

#include <fmt/format.h>

#include <algorithm>

#include "atcav/io/reader.h"
#include "atcav/io/sha256_blocks.h"

namespace atcav::io {

// Fractional parts of the square roots of the first eight primes (FIPS 180-4, 5.3.3).
Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {
}

void Sha256::update(std::span<const std::byte> bytes) {
  const std::size_t held = length_ % kBlock;
  length_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(bytes.size(), kBlock - held);
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    if (held + taken < kBlock) return;
    sha256_blocks(state_, rest_.data(), 1);
  }
  const std::size_t blocks = bytes.size() / kBlock;
  sha256_blocks(state_, bytes.data(), blocks);
  bytes = bytes.subspan(blocks * kBlock);
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text))); }

// Padding: a one bit, zeros, and the length in bits as the last 8 bytes of a block.
std::string Sha256::hex() const {
  std::array<std::byte, 2 * kBlock> last{};
  const std::size_t held = length_ % kBlock;
  std::copy_n(rest_.begin(), held, last.begin());
  last[held] = std::byte{0x80};
  const std::size_t blocks = held + 9 <= kBlock ? 1 : 2;
  for (std::size_t i = 0; i < 8; ++i) {
    last[blocks * kBlock - 1 - i] = static_cast<std::byte>((length_ * 8) >> (8 * i));
  }
  std::array<std::uint32_t, 8> state = state_;
  sha256_blocks(state, last.data(), blocks);
  std::string result;
  for (const std::uint32_t word : state) result += fmt::format("{:08x}", word);
  return result;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

std::string sha256_file(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{8} << 20;
  const ReaderPtr reader = open_file(path);
  const std::span<const std::byte> bytes = reader->bytes();
  Sha256 hash;
  for (std::size_t first = 0; first < bytes.size(); first += kPiece) {
    const std::size_t count = std::min(kPiece, bytes.size() - first);
    hash.update(bytes.subspan(first, count));
    reader->release(first, count);
  }
  return hash.hex();
}

}  // namespace atcav::io
