#include "atcav/span/reduction.h"

#include <gtest/gtest.h>

#include "atcav/span/testing_sources.h"
#include "atcav/stats/cav.h"

namespace atcav::span {
namespace {

struct Case {
  const char* name;
  Index random, positive, columns, rank;  // rank: of all rows together
  double mean;
  bool exact;
};

void PrintTo(const Case& problem, std::ostream* out) { *out << problem.name; }

class ReduceCase : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case problem = GetParam();
    const Index n = problem.random + problem.positive;
    x = normal_rows(2, n, problem.columns, problem.mean);
    x.bottomRows(problem.positive).array() += 0.05F;
    // Later rows repeat earlier ones, so some rows are random and concept at once.
    for (Index i = problem.rank; i < n; ++i) x.row(i) = x.row((i * 7) % problem.rank);
    gradients = normal_rows(1, 12, problem.columns);
    MatrixSource random("random", x.topRows(problem.random));
    MatrixSource positive("concept", x.bottomRows(problem.positive));
    const PassOptions options{.gram = true, .exact_below = problem.exact ? 1e12 : 0};
    reduction = reduce(run_pass(gradients, {&random, &positive}, options), gradients);
  }

  MatrixF x, gradients;
  Reduction reduction;
};

TEST_P(ReduceCase, KeepsInnerProducts) {
  const Case problem = GetParam();
  const Matrix wide = x.cast<double>();
  const Matrix inner = wide * wide.transpose();
  const Matrix products = gradients.cast<double>() * wide.transpose();
  const double tolerance = problem.exact ? 1e-9 : 1e-6;
  EXPECT_LT((reduction.features * reduction.features.transpose() - inner).norm(), tolerance * inner.norm());
  EXPECT_LT((reduction.gradients * reduction.features.transpose() - products).norm(),
            tolerance * products.norm());
  EXPECT_EQ(reduction.first, (std::vector<Index>{0, problem.random, problem.random + problem.positive}));
  if (problem.columns <= x.rows()) {
    EXPECT_EQ(reduction.features, wide);
  } else if (problem.exact) {
    EXPECT_LE(reduction.features.cols(), problem.rank + 1);
  }
}

TEST_P(ReduceCase, EveryMethodGivesTheSensitivitiesOfAllColumns) {
  const Case problem = GetParam();
  const Matrix random = x.topRows(problem.random).cast<double>();
  const Matrix positive = x.bottomRows(problem.positive).cast<double>();
  for (const auto method : {stats::CavMethod::kPattern, stats::CavMethod::kFast, stats::CavMethod::kRidge,
                            stats::CavMethod::kLogistic, stats::CavMethod::kSvm}) {
    for (const bool centred : {false, true}) {
      // Cost 0.01: where duplicates carry both labels a large cost makes the problem ill-conditioned.
      const stats::CavOptions options{.method = method, .cost = 0.01, .centred = centred};
      const Vector wide = gradients.cast<double>() * stats::fit_cav(random, positive, options).direction;
      const Vector small =
          reduction.gradients * stats::fit_cav(reduction.rows(0), reduction.rows(1), options).direction;
      // Exact: only the fits' own tolerances remain. Float: the bar of the project.
      EXPECT_LT((small - wide).norm(), (problem.exact ? 1e-7 : 1e-5) * wide.norm())
          << name(method) << " centred " << centred;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Problems, ReduceCase,
    testing::Values(Case{"wide", 40, 15, 300, 55, 2, true}, Case{"far", 40, 15, 300, 55, 1000, true},
                    Case{"duplicates", 40, 15, 300, 47, 2, true}, Case{"square", 40, 15, 55, 55, 2, true},
                    Case{"narrow", 40, 15, 20, 55, 2, true}, Case{"next", 40, 15, 56, 55, 2, true},
                    Case{"float", 40, 15, 3000, 55, 2, false},
                    Case{"float_far", 40, 15, 3000, 55, 1000, false},
                    Case{"float_duplicates", 40, 15, 3000, 47, 2, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Reduce, NeedsAGramMatrix) {
  const MatrixF gradients = normal_rows(1, 3, 50);
  MatrixSource random("random", normal_rows(2, 10, 50));
  const Pass pass = run_pass(gradients, {&random}, {});
  EXPECT_THROW(reduce(pass, gradients), std::invalid_argument);
  EXPECT_THROW(reduce(pass, gradients.leftCols(49)), std::invalid_argument);
}

TEST(Reduce, AllRowsEqualHaveRankOne) {
  const MatrixF gradients = normal_rows(1, 3, 50);
  const MatrixF row = normal_rows(2, 1, 50, 3);
  MatrixSource random("random", row.replicate(8, 1));
  const Reduction reduction = reduce(run_pass(gradients, {&random}, {.gram = true}), gradients);
  const Vector expected = gradients.cast<double>() * row.cast<double>().transpose();
  EXPECT_TRUE((reduction.gradients * reduction.features.row(5).transpose()).isApprox(expected, 1e-12));
}

}  // namespace
}  // namespace atcav::span
