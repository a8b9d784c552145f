#include <gtest/gtest.h>

#include <algorithm>

#include "apps/paper/real.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(AlphaStarTable, HasThePapersProportions) {
  const std::vector<Figure> figures = alpha_star_table(testing_model());
  EXPECT_TRUE(checks_hold(figures));
  for (const Curve& row : figures[0].curves) {
    EXPECT_NEAR(row.y[0] / row.y[1], 2, 1e-12);
    EXPECT_NEAR(row.y[0] / row.y[2], 3, 1e-12);
  }
  EXPECT_STREQ(verdict(figures[0].claims.back()), "cannot be tested");
}

TEST(AlphaStarTable, HasThePapersCellsWhereNamesAreItsOwn) {
  RealModel model = testing_model();
  model.layers[0].names.layer = "layer2";
  model.layers[0].names.concepts = {"zigzagged", "far"};
  const Figure figure = alpha_star_table(model)[0];
  ASSERT_EQ(figure.curves.size(), 3U);
  EXPECT_EQ(figure.curves[1].name, "layer2, zigzagged, paper");
  EXPECT_EQ(figure.curves[1].y, (std::vector<double>{2.30, 1.15, 0.77}));
  EXPECT_EQ(figure.claims.back().paper, 0.77);
  EXPECT_TRUE(figure.claims.back().untested.empty());
}

// The same numbers from rows and from their products, by a mean and by a fit.
TEST(EncodedConcepts, FarIsToldApartPerfectly) {
  for (const stats::CavMethod method : {stats::CavMethod::kPattern, stats::CavMethod::kRidge}) {
    RealModel model = testing_model(1);
    model.cav.method = method;
    const std::vector<Figure> figures = encoded_concepts(model);
    EXPECT_EQ(figures.size(), 3U);
    EXPECT_TRUE(well_formed(figures));
    EXPECT_DOUBLE_EQ(figures[0].curves[2].y[0], 1);
    EXPECT_DOUBLE_EQ(figures[0].curves[3].y[0], 1);
  }
}

TEST(EncodedConcepts, NothingIsToldApartByChance) {
  RealModel model = testing_model(0);
  const Figure figure = encoded_concepts(model)[0];
  // 20 CAVs of the same 60 + 40 rows, 12 + 8 of them unseen.
  for (const std::size_t unseen : {1U, 3U}) EXPECT_NEAR(figure.curves[unseen].y[0], 0.5, 0.15);
  // The CAV knows its own rows, so they look told apart: 30 columns, 50 rows.
  EXPECT_GT(figure.curves[0].y[0], figure.curves[1].y[0]);
}

TEST(RealCorrelation, IsACorrelation) {
  const std::vector<Figure> figures = real_correlation(testing_model(), {.repeats = 10});
  for (const double correlation : figures[0].curves[0].y) {
    EXPECT_GT(correlation, -0.1);
    EXPECT_LT(correlation, 1);
  }
}

}  // namespace
}  // namespace atcav::paper
