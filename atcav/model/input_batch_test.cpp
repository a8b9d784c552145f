#include "atcav/model/input_batch.h"

#include <gtest/gtest.h>

namespace atcav::model {
namespace {

InputBatch rows(std::vector<Index> shape, Reals reals, std::vector<std::int64_t> integers = {}) {
  return {std::move(shape), std::move(reals), std::move(integers)};
}

TEST(ContentHashes, AreEqualForEqualRowsOnly) {
  const auto hashes = content_hashes({rows({3, 2}, {1, 2, 3, 4, 1, 2})}, 2);
  EXPECT_EQ(hashes[0], hashes[2]);
  EXPECT_NE(hashes[0], hashes[1]);
  EXPECT_EQ(content_hashes({rows({1, 2}, {3, 4})}, 1).front(), hashes[1]);
}

TEST(ContentHashes, KnowShapesAndEveryInput) {
  const InputBatch flat = rows({1, 4}, {1, 2, 3, 4});
  EXPECT_NE(content_hashes({flat}, 1), content_hashes({rows({1, 2, 2}, {1, 2, 3, 4})}, 1));
  const auto with_mask = [&](std::int64_t last) {
    return content_hashes({flat, rows({1, 2}, {}, {1, last})}, 1);
  };
  EXPECT_EQ(with_mask(1), with_mask(1));
  EXPECT_NE(with_mask(1), with_mask(0));
}

}  // namespace
}  // namespace atcav::model
