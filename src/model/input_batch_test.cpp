#include <gtest/gtest.h>

#include "atcav/examples.h"

namespace atcav::model {
namespace {

InputBatch rows(std::vector<Index> shape, Reals reals, std::vector<std::int64_t> integers = {}) {
  return {std::move(shape), std::move(reals), std::move(integers)};
}

TEST(ContentHash, AreEqualForEqualRowsOnly) {
  const std::vector three = {rows({3, 2}, {1, 2, 3, 4, 1, 2})};
  EXPECT_EQ(content_hash(three, 0), content_hash(three, 2));
  EXPECT_NE(content_hash(three, 0), content_hash(three, 1));
  EXPECT_EQ(content_hash({rows({1, 2}, {3, 4})}, 0), content_hash(three, 1));
}

TEST(ContentHash, KnowShapesAndEveryInput) {
  const InputBatch flat = rows({1, 4}, {1, 2, 3, 4});
  EXPECT_NE(content_hash({flat}, 0), content_hash({rows({1, 2, 2}, {1, 2, 3, 4})}, 0));
  const auto with_mask = [&](std::int64_t last) {
    return content_hash({flat, rows({1, 2}, {}, {1, last})}, 0);
  };
  EXPECT_EQ(with_mask(1), with_mask(1));
  EXPECT_NE(with_mask(1), with_mask(0));
}

}  // namespace
}  // namespace atcav::model
