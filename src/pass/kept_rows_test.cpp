#include "pass/kept_rows.h"

#include <gtest/gtest.h>

#include "pass/testing_sources.h"

namespace atcav::span {
namespace {

TEST(KeptRows, AreWrittenOrUsedWhereTheyLie) {
  const MatrixF once = normal_rows(1, 6, 30);
  const MatrixF here = normal_rows(2, 5, 30);
  KeptRows kept({{"random", 6}, {"concept", 5, here.data()}}, 30);
  kept.write(0, 2, once.bottomRows(4));
  kept.write(0, 0, once.topRows(2));
  kept.write(1, 0, here);
  MatrixF read(2, 30);
  kept.read(0, 1, read);
  EXPECT_EQ(read, once.middleRows(1, 2));
  kept.read(1, 3, read);
  EXPECT_EQ(read, here.bottomRows(2));
  ASSERT_EQ(kept.blocks().size(), 2U);
  EXPECT_EQ(Eigen::Map<const MatrixF>(kept.blocks()[0].data, 6, 30), once);
  EXPECT_EQ(kept.blocks()[1].data, here.data());
}

}  // namespace
}  // namespace atcav::span
