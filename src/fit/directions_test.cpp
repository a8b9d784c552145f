#include "fit/directions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fit/fit_refitter.h"
#include "fit/fit_rows.h"
#include "pass/testing_sources.h"

namespace atcav::fit {
namespace {

Matrix fitted_directions(const pass::Pass& pass, const MatrixF& gradients, const stats::CavOptions& options) {
  const auto concepts = static_cast<Index>(pass.sets.size()) - 1;
  Matrix directions(concepts, layer_coordinates(pass));
  for (Index c = 0; c < concepts; ++c) {
    const FitRefitter refitter(fit_rows(pass, gradients, 0, c + 1, options.has_intercept()),
                               pass.sets[0].projections.columns(), options);
    directions.row(c) = in_layer(pass, refitter.direction(), 0, c + 1).transpose();
  }
  return directions;
}

struct Layer {
  std::vector<MatrixF> sets;
  MatrixF gradients;
  pass::Pass pass;
};

Layer make_layer(std::vector<MatrixF> sets, bool gram) {
  const Index columns = sets.front().cols();
  Layer layer{std::move(sets), pass::normal_rows(9, 3, columns), {}};
  std::vector<pass::MatrixSource> sources;
  sources.reserve(layer.sets.size());
  std::vector<pass::RowSource*> pointers;
  for (const MatrixF& set : layer.sets) sources.emplace_back("set", set);
  for (pass::MatrixSource& source : sources) pointers.push_back(&source);
  layer.pass = pass::run_pass(layer.gradients, pointers, {.gram = gram, .folds = 3});
  return layer;
}

Matrix cosines_of(const Matrix& directions) { return cosines_between(directions * directions.transpose()); }

double cosine(const Vector& a, const Vector& b) { return a.dot(b) / (a.norm() * b.norm()); }

// Rows fewer than columns, so that K stands for them.
std::vector<MatrixF> three_concepts() {
  return {pass::normal_rows(1, 20, 90, 5), pass::normal_rows(2, 11, 90, 5.2),
          pass::normal_rows(3, 9, 90, 4.9), pass::normal_rows(4, 10, 90, 5.2)};
}

TEST(CosinesBetween, AnglesInThePlane) {
  // 0°, 60°, 180° and nothing; lengths do not matter.
  const Matrix found = cosines_of(Matrix{{2, 0}, {0.5, std::sqrt(0.75)}, {-3, 0}, {0, 0}});
  const Matrix expected{{1, 0.5, -1, 0}, {0.5, 1, -0.5, 0}, {-1, -0.5, 1, 0}, {0, 0, 0, 0}};
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(RandomMean, IsThatOfTheRowsThemselves) {
  const Layer layer = make_layer(three_concepts(), false);
  const Vector mean = layer.sets.front().cast<double>().colwise().mean().transpose();
  EXPECT_LT((random_mean(layer.pass) - mean).cwiseAbs().maxCoeff(), 1e-6);  // rows are float, near 5
}

TEST(CosinesBetween, NeverBeyondOne) {
  const Matrix found = cosines_of(Matrix::Constant(2, 3, 0.1));
  EXPECT_LE(found.maxCoeff(), 1);
}

TEST(CosinesBetween, OfPatternAreThoseOfMeansInAllColumns) {
  const Layer layer = make_layer(three_concepts(), false);
  const Matrix cosines = cosines_of(mean_directions(layer.pass, false));
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

// Fitted methods: cosines from inner products against fits in all 90 columns. 1e-6: what a Gram matrix with
// a large mean leaves.
TEST(CosinesBetween, OfFittedMethodsAreThoseInAllColumns) {
  const Layer layer = make_layer(three_concepts(), true);
  for (const stats::CavMethod method : {stats::CavMethod::kRidge, stats::CavMethod::kLogistic}) {
    const stats::CavOptions options{.method = method};
    const Matrix directions_found = fitted_directions(layer.pass, layer.gradients, options);
    const Matrix cosines = cosines_between(inner_products(layer.pass, directions_found));
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
  const Layer layer = make_layer(
      {pass::normal_rows(1, 40, 4000), pass::normal_rows(2, 10, 4000), pass::normal_rows(3, 10, 4000)},
      false);
  EXPECT_NEAR(cosines_of(mean_directions(layer.pass, false))(0, 1), 0.2, 0.06);
}

TEST(CosinesBetween, OfAZeroDirectionAreZero) {
  const MatrixF same = MatrixF::Constant(6, 8, 2);
  const Layer layer = make_layer({same, same, pass::normal_rows(3, 6, 8)}, false);
  const Matrix cosines = cosines_of(mean_directions(layer.pass, false));
  EXPECT_EQ(cosines(0, 0), 0);
  EXPECT_EQ(cosines(0, 1), 0);
  EXPECT_NEAR(cosines(1, 1), 1, 1e-15);
}

// Directions of rows that came once, against fits in all columns: wide (combinations of rows) and narrow.
TEST(Expand, GivesTheDirectionsOfAllColumns) {
  for (const Index columns : {90, 12}) {
    std::vector<MatrixF> sets = {pass::normal_rows(1, 20, columns, 5), pass::normal_rows(2, 11, columns, 5.2),
                                 pass::normal_rows(3, 9, columns, 4.9)};
    sets[1].row(3) = sets[1].row(2);  // dependent rows
    const MatrixF gradients = pass::normal_rows(9, 3, columns);
    for (const char* method : {"pattern", "fast", "ridge", "logistic", "svm"}) {
      const stats::CavOptions options{.method = stats::parse_cav_method(method)};
      std::vector<pass::OnceSource> sources;
      for (const MatrixF& set : sets) sources.emplace_back("set", set);
      const bool fitted = !stats::is_mean_difference(options.method);
      const pass::Pass pass =
          pass::run_pass(gradients, {&sources[0], &sources[1], &sources[2]}, {.gram = fitted, .folds = 3});
      Matrix directions;
      if (fitted) {
        directions = expand(pass, fitted_directions(pass, gradients, options), 2);
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
  const Layer layer = make_layer(three_concepts(), false);
  EXPECT_THROW(expand(layer.pass, Matrix::Ones(1, layer_coordinates(layer.pass))), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::fit
