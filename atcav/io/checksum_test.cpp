#include "atcav/io/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace atcav::io {
namespace {

std::string of(const std::string& text) { return checksum(std::as_bytes(std::span(text))); }

TEST(Checksum, SeesEveryFlippedBit) {
  const std::string text(203, 'a');  // whole blocks and a rest
  std::set<std::string> seen = {of(text)};
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    EXPECT_TRUE(seen.insert(of(other)).second) << bit;
  }
}

TEST(Checksum, SeesLengthAndOrder) {
  std::set<std::string> seen;
  for (std::size_t length = 0; length < 200; ++length)
    EXPECT_TRUE(seen.insert(of(std::string(length, '\0'))).second) << length;
  const std::string a(64, 'a');
  const std::string b(64, 'b');
  EXPECT_NE(of(a + b), of(b + a));
  EXPECT_NE(of("12345678abcdefgh"), of("abcdefgh12345678"));
}

TEST(Checksum, IsWrittenInSixteenDigits) {
  EXPECT_EQ(of("x").size(), 16U);
  EXPECT_EQ(of("x"), of("x"));
}

}  // namespace
}  // namespace atcav::io
