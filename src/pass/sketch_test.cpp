#include "pass/sketch.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav::pass {
namespace {

TEST(SketchRows, KeepsInnerProducts) {
  for (const Index d : {3, 256, 5000, 40000}) {
    const MatrixF rows = Stream(static_cast<std::uint64_t>(d)).normal_matrix(12, d).cast<float>();
    const MatrixF sketch = sketch_rows(rows, 2);
    const MatrixF wanted = rows * rows.transpose();
    const MatrixF found = sketch * sketch.transpose();
    // Standard error |x||y|/16; of 78 pairs the worst stays within four.
    const float room = d <= kSketchColumns ? 1e-5F : 4.0F / 16;
    EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), room * wanted.diagonal().maxCoeff() * 1.5F) << d;
  }
}

TEST(SketchRows, DoesNotDependOnThreadsOrBlocks) {
  const MatrixF rows = Stream(1).normal_matrix(30, 700).cast<float>();
  EXPECT_EQ(sketch_rows(rows, 1), sketch_rows(rows, 2));
  EXPECT_EQ(sketch_rows(rows, 1).bottomRows(7), sketch_rows(rows.bottomRows(7), 1));
}

}  // namespace
}  // namespace atcav::pass
