#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/comm/comm.h"

namespace atcav::comm {
namespace {

TEST(Single, OneProcessThatGathers) {
  EXPECT_EQ(rank(), 0);
  EXPECT_EQ(size(), 1);
  EXPECT_THROW(send(MatrixF(1, 1), 1), std::logic_error);
  EXPECT_THROW(receive(1), std::logic_error);
}

}  // namespace
}  // namespace atcav::comm
