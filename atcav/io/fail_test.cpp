#include "atcav/io/fail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>

namespace atcav::io {
namespace {

using testing::ThrowsMessage;

TEST(FailFile, NamesFunctionFileAndReason) {
  EXPECT_THAT([] { fail_file("read_npy", "a.npy", "header is cut short"); },
              ThrowsMessage<std::runtime_error>("[read_npy] a.npy: header is cut short"));
  EXPECT_THAT([] { fail_file("AtomicFile", "a.npy", "cannot write", ENOSPC); },
              ThrowsMessage<std::runtime_error>("[AtomicFile] a.npy: cannot write: No space left on device"));
}

TEST(Quote, KeepsTextPrintableAndShort) {
  EXPECT_EQ(quote("conv1.weight"), "'conv1.weight'");
  EXPECT_EQ(quote("<f4"), "'<f4'");
  EXPECT_EQ(quote(std::string_view("a\n\0", 3)), "'a\\x0a\\x00'");
  EXPECT_EQ(quote(std::string(200, 'x')), "'" + std::string(60, 'x') + "…'");
}

}  // namespace
}  // namespace atcav::io
