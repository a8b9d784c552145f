#include "stats/shared_fits.h"

#include <gtest/gtest.h>

#include "atcav/random.h"
#include "stats/testing_fits.h"

namespace atcav::stats {
namespace {

// What it is for: on rows of many columns a fit takes some dozens of products and no factorisation; with
// fewer columns than rows some more.
TEST(SharedFits, TakeFewProducts) {
  struct Case {
    Index columns;
    int most;
  };
  for (const auto& [columns, most] : {Case{800, 80}, Case{180, 400}}) {
    Matrix x = Stream(2).normal_matrix(260, columns);
    x.bottomRows(60).leftCols(2).array() += 1;
    const Vector labels = signs(200, 60);
    for (const CavMethod method : {CavMethod::kRidge, CavMethod::kLogistic, CavMethod::kSvm}) {
      const SharedFits fits(SharedFits::Seen::kRows, x, labels, {.method = method}, 1);
      EXPECT_TRUE(fits.full().converged) << name(method);
      const auto check = [&, most = most](Index, const WeightedFit& fit) {
        EXPECT_TRUE(fit.converged);
        EXPECT_LT(fit.products, most) << name(method);
      };
      const auto without_one = [&](Index k) {
        WeightedRows kept{Vector::Ones(260), labels};
        kept.weights(k) = 0;
        return kept;
      };
      fits.solve(10, without_one, 1, check);
      const auto halves = [&](Index k) {
        WeightedRows kept{Vector::Zero(260), labels};
        for (Index i = k % 2; i < 260; i += 2) kept.weights(i) = 1;
        return kept;
      };
      fits.solve(2, halves, 1, check);
    }
  }
}

}  // namespace
}  // namespace atcav::stats
