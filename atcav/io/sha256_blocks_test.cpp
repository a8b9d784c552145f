#include "atcav/io/sha256_blocks.h"

#include <gtest/gtest.h>

#include <vector>

#include "atcav/base/random.h"

namespace atcav::io {
namespace {

TEST(Sha256Blocks, KnownBlock) {
  // The padded message "abc" (FIPS 180-4's first example).
  std::vector<std::byte> block(64);
  block[0] = std::byte{'a'};
  block[1] = std::byte{'b'};
  block[2] = std::byte{'c'};
  block[3] = std::byte{0x80};
  block[63] = std::byte{24};
  const Sha256State start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const Sha256State expected = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
  Sha256State fast = start, portable = start;
  sha256_blocks(fast, block.data(), 1);
  sha256_blocks_portable(portable, block.data(), 1);
  EXPECT_EQ(fast, expected);
  EXPECT_EQ(portable, expected);
}

TEST(Sha256Blocks, InstructionsAndPlainCodeAgree) {
  Stream stream(1);
  for (std::size_t blocks = 0; blocks < 20; ++blocks) {
    std::vector<std::byte> data(64 * blocks + 1);
    for (std::byte& byte : data) byte = static_cast<std::byte>(stream.next());
    Sha256State fast, portable;
    for (std::size_t i = 0; i < 8; ++i) fast[i] = portable[i] = static_cast<std::uint32_t>(stream.next());
    sha256_blocks(fast, data.data() + 1, blocks);
    sha256_blocks_portable(portable, data.data() + 1, blocks);
    EXPECT_EQ(fast, portable) << blocks;
  }
}

}  // namespace
}  // namespace atcav::io
