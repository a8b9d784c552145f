#include "core/utf8.h"

#include <gtest/gtest.h>

namespace atcav {
namespace {

TEST(Utf8Length, CountsTheBytesOfTheFirstCharacter) {
  EXPECT_EQ(utf8_length("a\xC3\xA9"), 1U);
  EXPECT_EQ(utf8_length("\xC3\xA9x"), 2U);
  EXPECT_EQ(utf8_length("\xE2\x82\xAC"), 3U);
  EXPECT_EQ(utf8_length("\xF0\x9F\x98\x80"), 4U);
}

TEST(IsUtf8, RefusesWhatTheStandardForbids) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("layer1/\xC3\xA9"));
  for (const char* bad :
       {"\xFF", "a\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"})
    EXPECT_FALSE(is_utf8(bad));
}

}  // namespace
}  // namespace atcav
