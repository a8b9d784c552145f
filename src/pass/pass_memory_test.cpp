#include "pass/pass_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include "pass/testing_sources.h"

namespace atcav::pass {
namespace {

TEST(PassMemory, IsNoLessThanWhatThePassKeeps) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have their own malloc, of which mallinfo knows nothing";
#endif
  const Index m = 30;
  const Index d = 3000;
  const MatrixF gradients = MatrixF::Random(m, d);
  const MatrixF random = MatrixF::Random(400, d);
  const MatrixF positive = MatrixF::Random(200, d);
  for (const bool gram : {false, true}) {
    PassOptions options;
    options.gram = gram;
    MatrixSource first("random", random);
    MatrixSource second("concept", positive);
    const auto in_use = [] { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd); };
    const double before = in_use();
    const Pass pass = run_pass(gradients, {&first, &second}, options);
    const double kept = in_use() - before;
    EXPECT_GT(kept, 0.2 * sizeof(double) * 600 * m);
    EXPECT_LE(kept, pass_bytes(m, d, 600, 2, options)) << gram;
  }
}

TEST(PassMemory, ManySmallSetsTakeLittle) {
  // 2,000 concepts of 20 examples with 4 columns: the projections on 20 inputs are the largest part, 6.4 MB.
  EXPECT_LT(pass_bytes(20, 4, 40'030, 2001, {}), 1e7);
}

TEST(PassMemory, GrowsWithTheSquareOfTheExamplesForFits) {
  PassOptions options;
  EXPECT_LT(pass_bytes(50, 100'000, 100'000, 3, options), 1e9);
  options.gram = true;
  EXPECT_GT(pass_bytes(50, 1'000'000, 100'000, 3, options), 8e10);
  options = {};
  options.moments_only = true;
  EXPECT_EQ(pass_bytes(50, 1000, 1'000'000, 3, options), pass_bytes(50, 1000, 100'000'000, 3, options));
}

}  // namespace
}  // namespace atcav::pass
