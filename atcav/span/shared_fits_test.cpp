#include "atcav/span/shared_fits.h"

#include <gtest/gtest.h>

#include "atcav/span/testing_refitter.h"

namespace atcav::span {
namespace {

using stats::CavMethod;

TEST(SharedFits, RidgeByFactorisingIsRidgeByConjugateGradients) {
  const Matrix x = two_sets(1, 40, 20, 90, 1, 1);
  Vector labels = Vector::Ones(60);
  labels.head(40).setConstant(-1);
  const Matrix others = Stream(5).normal_matrix(7, 60);
  for (const bool centred : {false, true}) {
    FitRows rows = fit_rows(x, Matrix::Zero(0, 90));
    const SharedFits fits(rows, labels, {.method = CavMethod::kRidge, .centred = centred}, 1);
    const auto found = fits.solve_ridge(others, 2);
    ASSERT_TRUE(found);
    const auto draw = [&](Index k) {
      return SharedFits::Problem{{Vector::Ones(60), others.row(k).transpose()}, false};
    };
    fits.solve(7, draw, 1, [&](Index k, const WeightedRows&, const NewtonFit& fit) {
      const Vector& slow = fit.point().coefficients;
      EXPECT_LT((found->row(k).transpose() - slow).norm(), 1e-7 * slow.norm());
    });
  }
}

// What it is for: on rows of many columns a fit takes some dozens of products and no factorisation; with
// fewer columns than rows some more.
TEST(SharedFits, TakeFewProducts) {
  struct Case {
    Index columns;
    int most;
  };
  for (const auto& [columns, most] : {Case{800, 80}, Case{180, 400}}) {
    const Matrix x = two_sets(2, 200, 60, columns, 1, 1);
    Vector labels = Vector::Ones(260);
    labels.head(200).setConstant(-1);
    for (const CavMethod method : {CavMethod::kRidge, CavMethod::kLogistic, CavMethod::kSvm}) {
      FitRows rows = fit_rows(x, Matrix::Zero(0, columns));
      const SharedFits fits(rows, labels, {.method = method}, 1);
      EXPECT_TRUE(fits.full().converged()) << stats::name(method);
      const auto check = [&, most = most](Index, const WeightedRows&, const NewtonFit& fit) {
        EXPECT_TRUE(fit.converged());
        EXPECT_LT(fit.products_used(), most) << stats::name(method);
      };
      const auto without_one = [&](Index k) {
        SharedFits::Problem problem{{Vector::Ones(260), labels}};
        problem.rows.weights(k) = 0;
        return problem;
      };
      fits.solve(10, without_one, 1, check);
      const auto shuffled = [&](Index k) {
        SharedFits::Problem problem{{Vector::Ones(260), Vector::Constant(260, -1)}, false};
        for (Index i = 0; i < 60; ++i) problem.rows.labels((4 * i + 7 * k * (i % 3)) % 260) = 1;
        return problem;
      };
      fits.solve(10, shuffled, 1, check);
    }
  }
}

}  // namespace
}  // namespace atcav::span
