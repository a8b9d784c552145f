#include "fit/fit_rows.h"

#include <gtest/gtest.h>

#include "atcav/cav.h"
#include "fit/fit_refitter.h"
#include "pass/testing_sources.h"

namespace atcav::fit {
namespace {

struct Case {
  const char* name;
  Index random, positive, columns, rank;  // rank: of all rows together
  double mean;
  bool exact;
};

void PrintTo(const Case& problem, std::ostream* out) { *out << problem.name; }

class FitRowsCase : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case problem = GetParam();
    const Index n = problem.random + problem.positive;
    x = pass::normal_rows(2, n, problem.columns, problem.mean);
    x.bottomRows(problem.positive).array() += 0.05F;
    // Later rows repeat earlier ones, so some rows are random and concept at once.
    for (Index i = problem.rank; i < n; ++i) x.row(i) = x.row((i * 7) % problem.rank);
    gradients = pass::normal_rows(1, 12, problem.columns);
    pass::MatrixSource random("random", x.topRows(problem.random));
    pass::MatrixSource positive("concept", x.bottomRows(problem.positive));
    const pass::PassOptions options{.gram = true, .exact_below = problem.exact ? 1e12 : 0};
    pass = pass::run_pass(gradients, {&random, &positive}, options);
  }

  MatrixF x, gradients;
  pass::Pass pass;
};

TEST_P(FitRowsCase, KeepsInnerProducts) {
  const Case problem = GetParam();
  const Matrix wide = x.cast<double>();
  const Matrix inner = wide * wide.transpose();
  const Matrix products = gradients.cast<double>() * wide.transpose();
  const double tolerance = problem.exact ? 1e-9 : 1e-6;
  const FitRows rows = fit_rows(pass, gradients, 0, 1, false);
  EXPECT_EQ(rows.by_products(), problem.columns > x.rows());
  if (!rows.by_products()) {
    EXPECT_EQ(rows.rows, wide);
  } else {
    EXPECT_LT((rows.products - inner).norm(), tolerance * inner.norm());
    EXPECT_TRUE(rows.products == rows.products.transpose());
  }
  EXPECT_LT((rows.projections - products).norm(), tolerance * products.norm());
  EXPECT_TRUE(rows.lengths.isApprox(gradients.cast<double>().rowwise().norm(), 1e-12));
}

// By products of the rows less the centre, whose mean is not theirs.
TEST_P(FitRowsCase, CentredKeepsDifferences) {
  const Case problem = GetParam();
  const FitRows rows = fit_rows(pass, gradients, 0, 1, true);
  if (!rows.by_products()) return;
  const Matrix centring = Matrix::Identity(x.rows(), x.rows()).array() - 1.0 / static_cast<double>(x.rows());
  const Matrix wide = centring * x.cast<double>();
  const Matrix inner = wide * wide.transpose();
  const double tolerance = problem.exact ? 1e-9 : 1e-6;
  EXPECT_LT((centring * rows.products * centring - inner).norm(), tolerance * inner.norm());
}

TEST_P(FitRowsCase, EveryMethodGivesTheSensitivitiesOfAllColumns) {
  const Case problem = GetParam();
  const Matrix random = x.topRows(problem.random).cast<double>();
  const Matrix positive = x.bottomRows(problem.positive).cast<double>();
  for (const auto method : {stats::CavMethod::kRidge, stats::CavMethod::kLogistic, stats::CavMethod::kSvm}) {
    for (const bool centred : {false, true}) {
      // Cost 0.01: where duplicates carry both labels a large cost makes the problem ill-conditioned.
      const stats::CavOptions options{.method = method, .cost = 0.01, .centred = centred};
      const Vector direction = stats::fit_cav(random, positive, options).direction;
      const Vector wide = gradients.cast<double>() * direction;
      const double way = direction.dot((positive.colwise().mean() - random.colwise().mean()).transpose());
      const FitRows rows = fit_rows(pass, gradients, 0, 1, options.has_intercept());
      // Exact: only the fits' own tolerances remain. Float: the bar of the project.
      const double tolerance = problem.exact ? 1e-7 : 1e-5;
      const FitRefitter fits(rows, problem.random, options);
      EXPECT_LT((fits.full() - wide).norm(), tolerance * wide.norm())
          << name(method) << " centred " << centred;
      // Where duplicates carry both labels, the raised diagonal is some of |w|².
      EXPECT_NEAR(fits.step(), std::abs(way) / direction.squaredNorm(), 100 * tolerance * fits.step());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Problems, FitRowsCase,
    testing::Values(Case{"wide", 40, 15, 300, 55, 2, true}, Case{"far", 40, 15, 300, 55, 1000, true},
                    Case{"duplicates", 40, 15, 300, 47, 2, true}, Case{"square", 40, 15, 55, 55, 2, true},
                    Case{"narrow", 40, 15, 20, 55, 2, true}, Case{"next", 40, 15, 56, 55, 2, true},
                    Case{"float", 40, 15, 3000, 55, 2, false},
                    Case{"float_far", 40, 15, 3000, 55, 1000, false},
                    Case{"float_duplicates", 40, 15, 3000, 47, 2, false}),
    [](const auto& info) { return std::string(info.param.name); });

// A column that is the same in all rows says nothing, whatever gradients make of it. Few columns and many.
TEST(FitRows, AHugeConstantColumnChangesNothing) {
  for (const Index columns : {20, 300}) {
    MatrixF x = pass::normal_rows(2, 60, columns);
    x.bottomRows(20).array() += 0.3F;
    MatrixF gradients = pass::normal_rows(1, 5, columns);
    for (const stats::CavMethod method :
         {stats::CavMethod::kRidge, stats::CavMethod::kLogistic, stats::CavMethod::kSvm}) {
      const stats::CavOptions options{.method = method, .centred = true};
      const auto full = [&] {
        pass::MatrixSource random("random", x.topRows(40));
        pass::MatrixSource positive("concept", x.bottomRows(20));
        const pass::Pass pass =
            pass::run_pass(gradients, {&random, &positive}, {.gram = true, .exact_below = 1e12});
        const Vector w =
            stats::fit_cav(x.topRows(40).cast<double>(), x.bottomRows(20).cast<double>(), options).direction;
        const Vector found = FitRefitter(fit_rows(pass, gradients, 0, 1, true), 40, options).full();
        EXPECT_LT((found - gradients.cast<double>() * w).norm(), 1e-6 * found.norm()) << stats::name(method);
        return found;
      };
      x.col(3).setZero();
      const Vector wanted = full();
      for (const float value : {1e15F, 3e20F, 1e30F}) {
        x.col(3).setConstant(value);
        EXPECT_LT((full() - wanted).norm(), 1e-6 * wanted.norm())
            << stats::name(method) << " " << value << " " << columns;
      }
    }
  }
}

TEST(FitRows, NeedAGramMatrix) {
  const MatrixF gradients = pass::normal_rows(1, 3, 50);
  pass::MatrixSource random("random", pass::normal_rows(2, 10, 50));
  pass::MatrixSource positive("concept", pass::normal_rows(3, 8, 50));
  const pass::Pass pass = pass::run_pass(gradients, {&random, &positive}, {});
  EXPECT_THROW(fit_rows(pass, gradients, 0, 1, true), std::invalid_argument);
  EXPECT_THROW(fit_rows(pass, gradients.leftCols(49), 0, 1, true), std::invalid_argument);
}

// A later concept against another one: the rows of both, wherever they are in the pass.
TEST(FitRows, OfAnyTwoSets) {
  const MatrixF gradients = pass::normal_rows(1, 3, 60);
  const std::vector<MatrixF> sets = {pass::normal_rows(2, 10, 60, 3), pass::normal_rows(3, 8, 60, 3),
                                     pass::normal_rows(4, 7, 60, 3)};
  std::vector<pass::MatrixSource> sources;
  for (const MatrixF& set : sets) sources.emplace_back("set", set);
  const pass::Pass pass =
      pass::run_pass(gradients, {&sources[0], &sources[1], &sources[2]}, {.gram = true, .folds = 3});
  Matrix both(15, 60);
  both << sets[2].cast<double>(), sets[1].cast<double>();
  const FitRows rows = fit_rows(pass, gradients, 2, 1, false);
  EXPECT_TRUE(rows.products.isApprox(both * both.transpose(), 1e-12));
  EXPECT_TRUE(rows.projections.isApprox(gradients.cast<double>() * both.transpose(), 1e-10));
  Vector weights(25);
  weights << Vector::Zero(10), Vector::LinSpaced(8, 8, 15), Vector::LinSpaced(7, 1, 7);
  EXPECT_EQ(in_layer(pass, Vector::LinSpaced(15, 1, 15), 2, 1), weights);
}

}  // namespace
}  // namespace atcav::fit
