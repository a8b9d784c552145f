#include <gtest/gtest.h>

#include "atcav/comm/comm.h"

namespace atcav::comm {
namespace {

// Alone a rank may not send to itself with a blocking call; what `mpirun -n 2` does is tested with the
// program.
TEST(Mpi, AloneItIsRankZeroOfOne) {
  EXPECT_EQ(rank(), 0);
  EXPECT_EQ(size(), 1);
}

}  // namespace
}  // namespace atcav::comm
