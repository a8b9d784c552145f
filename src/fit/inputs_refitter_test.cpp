#include "fit/inputs_refitter.h"

#include <gtest/gtest.h>

#include <memory>

#include "fit/fit_refitter.h"
#include "fit/testing_refitter.h"

namespace atcav::fit {
namespace {

TEST(InputsRefitter, IsAPartOfTheWhole) {
  const Matrix rows = two_sets(1, 14, 9, 50, 0.3, 0);
  const Matrix gradients = Stream(3).normal_matrix(6, 50);
  const RowNumbers random = {0, 3, 3, 7, 12};
  const RowNumbers of_concept = {14, 20, 21, 20};
  const stats::CavOptions options{.method = stats::CavMethod::kLogistic};
  const auto all = std::make_shared<FitRefitter>(fit_rows(rows, gradients), 14, options);
  const auto shared = std::make_shared<SharedRefits>(all);
  Index asked = 0;
  const auto choose = [&](Index k) {
    ++asked;
    return k == 0 ? Choice{random, of_concept} : Choice{{1, 2, 5}, {14, 15}};
  };
  const Matrix whole = all->refits({2, choose}, 1);
  const InputsRefitter first(shared, 0, 4);
  const InputsRefitter second(shared, 4, 2);
  EXPECT_EQ(first.refits({2, choose}, 1), whole.leftCols(4));
  asked = 0;
  EXPECT_EQ(second.refits({2, choose}, 1), whole.rightCols(2));
  EXPECT_EQ(asked, 2);  // to know them again, not to fit
  EXPECT_EQ(second.full(), all->full().tail(2));
  EXPECT_EQ(first.refits({1, choose}, 1), whole.topLeftCorner(1, 4));
  // Known ones, new ones and the same one twice in one call.
  const Drawing last{1, [&](Index) { return Choice{{4, 6, 9}, {16, 17}}; }};
  const std::vector<Matrix> together = first.refit_all({last, {2, choose}, last}, 1);
  ASSERT_EQ(together.size(), 3U);
  EXPECT_EQ(together[0], all->refits(last, 1).leftCols(4));
  EXPECT_EQ(together[1], whole.leftCols(4));
  EXPECT_EQ(together[2], together[0]);
}

}  // namespace
}  // namespace atcav::fit
