#include "pipeline/kept_rows.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav {
namespace {

// In any order, and no more than there is room for. The second kind lies in a scratch file.
TEST(KeptRows, AreReadAsTheyCame) {
  for (const Index columns : {Index{3}, pass::RowStore::kMemoryBytes / 16}) {
    const MatrixF rows = Stream(1).normal_matrix(5, columns).cast<float>();
    KeptRows kept(4, columns);
    kept.add(2, HostRows(rows.bottomRows(3)));
    kept.add(0, HostRows(rows.topRows(2)));
    kept.add(4, HostRows(rows));
    EXPECT_EQ(kept.read(0, 4), rows.topRows(4));
    EXPECT_EQ(kept.read(3, 1), rows.row(3));
    EXPECT_EQ(kept.block().rows, 4);
    kept.share(0, 9, 0);
    EXPECT_EQ(kept.read(0, 4), rows.topRows(4));
  }
}

}  // namespace
}  // namespace atcav
