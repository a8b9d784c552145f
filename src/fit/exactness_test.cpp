// The promise of the span and of the shared fits, kept for every method and every resampling: refits on inner
// products give the sensitivities of the same refits on (X, Z), one by one and by a direct solver.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fit/fit_refitter.h"
#include "fit/permutation.h"
#include "fit/resampling.h"
#include "fit/testing_refitter.h"
#include "pass/testing_sources.h"

namespace atcav::fit {
namespace {

struct Shape {
  std::string name;
  Index random, positive, columns;
  Index different;  // rows; the others repeat them
  double mean;      // of all activations
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

struct Method {
  std::string name;
  stats::CavOptions options;
};

void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }

using Case = std::tuple<Shape, Method, bool>;

struct Problem {
  MatrixF rows;
  MatrixF gradients;
};

Problem draw(const Shape& shape) {
  const Index n = shape.random + shape.positive;
  Problem problem{pass::normal_rows(21, n, shape.columns, shape.mean),
                  pass::normal_rows(22, 9, shape.columns)};
  problem.rows.bottomRows(shape.positive).array() += 0.3F;
  // Some of the random rows come again as concept rows.
  for (Index i = shape.different; i < n; ++i)
    problem.rows.row(i) = problem.rows.row((5 * i) % shape.different);
  return problem;
}

std::shared_ptr<Refitter> on_products(const Problem& problem, const Shape& shape, const Method& method,
                                      bool exact) {
  pass::MatrixSource random("random", problem.rows.topRows(shape.random));
  pass::MatrixSource positive("concept", problem.rows.bottomRows(shape.positive));
  const bool mean_difference = stats::is_mean_difference(method.options.method);
  const pass::PassOptions options{.gram = !mean_difference, .exact_below = exact ? 1e12 : 0};
  const pass::Pass pass = pass::run_pass(problem.gradients, {&random, &positive}, options);
  if (mean_difference) {
    return std::make_shared<MeanRefitter>(pass.sets[0].projections, pass.sets[1].projections,
                                          method.options.method == stats::CavMethod::kFast);
  }
  return std::make_shared<FitRefitter>(
      fit_rows(pass, problem.gradients, 0, 1, method.options.has_intercept()), shape.random, method.options);
}

class Exactness : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto& [shape, method, exact] = GetParam();
    const Problem problem = draw(shape);
    spanned = on_products(problem, shape, method, exact);
    wide = std::make_shared<DirectRefitter>(problem.rows.cast<double>(), problem.gradients.cast<double>(),
                                            shape.random, method.options);
    // Products in float pieces: one rounding of a product is 6e-8, the bar for the pass is 1e-5.
    tolerance = exact ? 1e-6 : 1e-5;
  }

  // Refit by refit, the largest difference over the largest sensitivity.
  void expect_same(const std::string& what, const Matrix& found, const Matrix& wanted) const {
    ASSERT_EQ(found.rows(), wanted.rows()) << what;
    ASSERT_EQ(found.cols(), wanted.cols()) << what;
    const double largest = wanted.cwiseAbs().maxCoeff();
    ASSERT_GT(largest, 0) << what;
    for (Index k = 0; k < wanted.rows(); ++k) {
      // A refit on nearly equal sets has a direction near zero; half the usual size is large enough to divide
      // by.
      const double size = std::max(wanted.row(k).cwiseAbs().maxCoeff(), largest / 2);
      EXPECT_LT((found.row(k) - wanted.row(k)).cwiseAbs().maxCoeff(), tolerance * size)
          << what << ", refit " << k;
    }
  }

  std::shared_ptr<Refitter> spanned;
  std::shared_ptr<Refitter> wide;
  double tolerance = 0;
};

TEST_P(Exactness, OfEveryResampling) {
  const ResamplingOptions options{.seed = 3, .key = 4, .threads = 1};
  const auto same = [&](const std::string& what, const auto& runs) {
    expect_same(what, runs(*spanned), runs(*wide));
  };
  same("full", [](const Refitter& r) -> Matrix { return r.full().transpose(); });
  same("split random", [&](const Refitter& r) { return split_runs(r, 4, Split::kRandom, options); });
  same("split both", [&](const Refitter& r) { return split_runs(r, 4, Split::kBoth, options); });
  same("random null", [&](const Refitter& r) { return random_null_runs(r, 4, options); });
  same("bootstrap", [&](const Refitter& r) { return bootstrap_runs(r, 8, options); });
  same("halves", [&](const Refitter& r) { return half_runs(r, 4, options); });
  same("jackknife", [&](const Refitter& r) { return r.refits(jackknife_drawing(r, 5, 2, options), 1); });
  same("halves of the jackknife",
       [&](const Refitter& r) { return r.refits(jackknife_half_drawing(r, 5, options), 1); });
}

const std::vector<Shape> kShapes = {
    {"wide", 24, 14, 90, 38, 0},           // n₁ ≠ n₂, d > n
    {"wide_far", 16, 16, 200, 32, 100},    // means a hundred times the spread; their sum nearly dependent
    {"tall", 40, 25, 12, 65, 1},           // d < n: the rows themselves
    {"square", 20, 16, 36, 36, 1},         // d = n
    {"one_less", 20, 16, 37, 36, 1},       // d = n + 1
    {"duplicates", 26, 18, 80, 30, 1},     // rank-deficient K: rows come twice, some in both sets
    {"few_different", 18, 22, 60, 12, 0},  // rank 12 of 40 rows
};

const std::vector<Method> kMethods = {
    {"pattern", {}},
    {"fast", {.method = stats::CavMethod::kFast}},
    {"ridge", {.method = stats::CavMethod::kRidge, .lambda = 0.5}},
    {"ridge_centred", {.method = stats::CavMethod::kRidge, .lambda = 0.5, .centred = true}},
    {"logistic", {.method = stats::CavMethod::kLogistic, .cost = 0.3}},
    {"svm", {.method = stats::CavMethod::kSvm, .cost = 0.3}},
};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto& [shape, method, exact] = info.param;
  return shape.name + "_" + method.name + (exact ? "_double" : "_float");
}

INSTANTIATE_TEST_SUITE_P(All, Exactness,
                         testing::Combine(testing::ValuesIn(kShapes), testing::ValuesIn(kMethods),
                                          testing::Bool()),
                         case_name);

}  // namespace
}  // namespace atcav::fit
