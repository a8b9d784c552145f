#include <gtest/gtest.h>

#include "atcav/comm/comm.h"

namespace atcav::comm {
namespace {

// Run by ctest alone and by mpirun with two and three ranks: everybody tests its part.
TEST(Mpi, RanksTalk) {
  ASSERT_LT(rank(), size());
  EXPECT_LT(local_rank(), size());
  if (rank() > 0) send(MatrixF::Constant(rank(), 3, static_cast<float>(10 * rank())), 0);
  for (int from = 1; rank() == 0 && from < size(); ++from)
    EXPECT_EQ(receive(from), MatrixF::Constant(from, 3, static_cast<float>(10 * from)));
}

}  // namespace
}  // namespace atcav::comm
