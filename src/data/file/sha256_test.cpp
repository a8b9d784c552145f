#include "data/file/sha256.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "data/array/array.h"
#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

// NIST's example values for FIPS 180-4, and the million a's.
TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
                   "lmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, AnyWayOfCuttingGivesTheSame) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string whole = sha256(text.substr(0, size));
    for (const std::size_t piece : {1, 63, 64, 65}) {
      Sha256 hash;
      for (std::size_t first = 0; first < size; first += piece) {
        hash.update(text.substr(first, std::min(piece, size - first)));
      }
      ASSERT_EQ(hash.hex(), whole) << size << " bytes in pieces of " << piece;
    }
  }
}

TEST(Sha256, HexMayBeAskedInBetween) {
  Sha256 hash;
  hash.update("a");
  EXPECT_EQ(hash.hex(), sha256("a"));
  hash.update("bc");
  EXPECT_EQ(hash.hex(), sha256("abc"));
}

TEST(Sha256File, ContentNotName) {
  const testing_support::TempFolder folder;
  EXPECT_EQ(sha256_file(folder.write("a", "abc")), sha256("abc"));
  const std::string large(20 << 20, 'x');
  EXPECT_EQ(sha256_file(folder.write("b", large)), sha256(large));
  EXPECT_THROW(sha256_file(folder.file("missing")), std::runtime_error);
}

TEST(Sha256Files, OneHashPerFileInTheirOrder) {
  const testing_support::TempFolder folder;
  std::vector<std::string> paths, expected;
  for (int i = 0; i < 40; ++i) {
    paths.push_back(folder.write(std::to_string(i), std::string(1000, static_cast<char>(i))));
    expected.push_back(sha256(std::string(1000, static_cast<char>(i))));
  }
  EXPECT_EQ(sha256_files(paths, 1), expected);
  EXPECT_EQ(sha256_files(paths, 4), expected);
  EXPECT_EQ(BackgroundHash(Array(open_file(paths[7]), "x", 0, Dtype::kU8, {1})).get(), expected[7]);
  paths.push_back(folder.file("missing"));
  EXPECT_THROW(sha256_files(paths), std::runtime_error);
}

}  // namespace
}  // namespace atcav::data
