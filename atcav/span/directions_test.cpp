#include "atcav/span/directions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/span/reduction.h"
#include "atcav/span/refit.h"
#include "atcav/span/testing_sources.h"

namespace atcav::span {
namespace {

Matrix fitted_directions(const Reduction& reduction, const stats::CavOptions& options) {
  const auto concepts = static_cast<Index>(reduction.first.size()) - 2;
  Matrix directions(concepts, reduction.features.cols());
  for (Index c = 0; c < concepts; ++c) {
    Matrix features(reduction.rows(0).rows() + reduction.rows(c + 1).rows(), directions.cols());
    features << reduction.rows(0), reduction.rows(c + 1);
    const FitRefitter refitter(features, reduction.gradients, reduction.first[1], options);
    directions.row(c) = refitter.direction().transpose();
  }
  return directions;
}

struct Layer {
  std::vector<MatrixF> sets;
  MatrixF gradients;
  Pass pass;
};

Layer make_layer(std::vector<MatrixF> sets, bool gram) {
  const Index columns = sets.front().cols();
  Layer layer{std::move(sets), normal_rows(9, 3, columns), {}};
  std::vector<MatrixSource> sources;
  sources.reserve(layer.sets.size());
  std::vector<RowSource*> pointers;
  for (const MatrixF& set : layer.sets) sources.emplace_back("set", set);
  for (MatrixSource& source : sources) pointers.push_back(&source);
  layer.pass = run_pass(layer.gradients, pointers, {.gram = gram, .folds = 3});
  return layer;
}

double cosine(const Vector& a, const Vector& b) { return a.dot(b) / (a.norm() * b.norm()); }

// Rows fewer than columns, so that the reduction is not the identity.
std::vector<MatrixF> three_concepts() {
  return {normal_rows(1, 20, 90, 5), normal_rows(2, 11, 90, 5.2), normal_rows(3, 9, 90, 4.9),
          normal_rows(4, 10, 90, 5.2)};
}

TEST(CosinesBetween, AnglesInThePlane) {
  // 0°, 60°, 180° and nothing; lengths do not matter.
  const Matrix found = cosines_between(Matrix{{2, 0}, {0.5, std::sqrt(0.75)}, {-3, 0}, {0, 0}});
  const Matrix expected{{1, 0.5, -1, 0}, {0.5, 1, -0.5, 0}, {-1, -0.5, 1, 0}, {0, 0, 0, 0}};
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(CosinesBetween, NeverBeyondOne) {
  const Matrix found = cosines_between(Matrix::Constant(2, 3, 0.1));
  EXPECT_LE(found.maxCoeff(), 1);
}

TEST(CosinesBetween, OfPatternAreThoseOfMeansInAllColumns) {
  const Layer layer = make_layer(three_concepts(), false);
  const Matrix cosines = cosines_between(mean_directions(layer.pass, false));
  ASSERT_EQ(cosines.rows(), 3);
  std::vector<Vector> directions;
  for (std::size_t set = 1; set < 4; ++set) {
    directions.push_back(layer.sets[set].cast<double>().colwise().mean() -
                         layer.sets[0].cast<double>().colwise().mean());
  }
  for (Index a = 0; a < 3; ++a) {
    for (Index b = 0; b < 3; ++b)
      EXPECT_NEAR(cosines(a, b), cosine(directions[a], directions[b]), 1e-12) << a << ' ' << b;
  }
}

// Fitted methods: the reduction's cosines against fits in all 90 columns. 1e-6: what the factorisation of
// a Gram matrix with a large mean leaves.
TEST(CosinesBetween, OfFittedMethodsAreThoseInAllColumns) {
  const Layer layer = make_layer(three_concepts(), true);
  for (const stats::CavMethod method : {stats::CavMethod::kRidge, stats::CavMethod::kLogistic}) {
    const stats::CavOptions options{.method = method};
    const Matrix cosines = cosines_between(fitted_directions(reduce(layer.pass, layer.gradients), options));
    std::vector<Vector> directions;
    for (std::size_t set = 1; set < 4; ++set) {
      directions.push_back(
          stats::fit_cav(layer.sets[0].cast<double>(), layer.sets[set].cast<double>(), options).direction);
    }
    EXPECT_NEAR(cosines(0, 1), cosine(directions[0], directions[1]), 1e-6);
    EXPECT_NEAR(cosines(0, 2), cosine(directions[0], directions[2]), 1e-6);
    EXPECT_NEAR(cosines(1, 2), cosine(directions[1], directions[2]), 1e-6);
  }
}

// The header's formula: n₁ = 40, n₂ = 10 gives 0.2. In 4000 columns a cosine scatters by about 0.016.
TEST(CosinesBetween, OfPureNoiseComeFromTheSharedRandomExamples) {
  const Layer layer =
      make_layer({normal_rows(1, 40, 4000), normal_rows(2, 10, 4000), normal_rows(3, 10, 4000)}, false);
  EXPECT_NEAR(cosines_between(mean_directions(layer.pass, false))(0, 1), 0.2, 0.06);
}

TEST(CosinesBetween, OfAZeroDirectionAreZero) {
  const MatrixF same = MatrixF::Constant(6, 8, 2);
  const Layer layer = make_layer({same, same, normal_rows(3, 6, 8)}, false);
  const Matrix cosines = cosines_between(mean_directions(layer.pass, false));
  EXPECT_EQ(cosines(0, 0), 0);
  EXPECT_EQ(cosines(0, 1), 0);
  EXPECT_NEAR(cosines(1, 1), 1, 1e-15);
}

// Directions of rows that came once, against fits in all columns: wide (expanded from the reduction) and
// narrow.
TEST(Expand, GivesTheDirectionsOfAllColumns) {
  for (const Index columns : {90, 12}) {
    std::vector<MatrixF> sets = {normal_rows(1, 20, columns, 5), normal_rows(2, 11, columns, 5.2),
                                 normal_rows(3, 9, columns, 4.9)};
    sets[1].row(3) = sets[1].row(2);  // dependent rows
    const MatrixF gradients = normal_rows(9, 3, columns);
    for (const char* method : {"pattern", "fast", "ridge", "logistic", "svm"}) {
      const stats::CavOptions options{.method = stats::parse_cav_method(method)};
      std::vector<OnceSource> sources;
      for (const MatrixF& set : sets) sources.emplace_back("set", set);
      const bool fitted = !stats::is_mean_difference(options.method);
      const Pass pass =
          run_pass(gradients, {&sources[0], &sources[1], &sources[2]}, {.gram = fitted, .folds = 3});
      Matrix directions;
      if (fitted) {
        const Reduction reduction = reduce(pass, gradients);
        directions = expand(pass, reduction, fitted_directions(reduction, options));
      } else {
        directions = mean_directions(pass, options.method == stats::CavMethod::kFast);
      }
      for (Index c = 0; c < 2; ++c) {
        const Vector expected =
            stats::fit_cav(sets[0].cast<double>(), sets[c + 1].cast<double>(), options).direction;
        // 1e-5: what iterative solvers leave of a mean five times the spread.
        EXPECT_LT((directions.row(c).transpose() - expected).norm(), 1e-5 * expected.norm())
            << method << ' ' << columns << ' ' << c;
      }
    }
  }
}

TEST(Expand, NeedsTheRows) {
  const Layer layer = make_layer(three_concepts(), true);  // rows that lie in memory are not kept
  const Reduction reduction = reduce(layer.pass, layer.gradients);
  EXPECT_THROW(expand(layer.pass, reduction, reduction.gradients), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::span
