#include "apps/paper/real.h"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/testing_layers.h"
#include "atcav/score.h"

namespace atcav::paper {
namespace {

TEST(RealCases, AreAllConceptsOfAllLayers) {
  const std::vector<RealCase> cases = real_cases(testing_model());
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[1].label, "block, far");
  EXPECT_EQ(cases[1].refitter->concept_rows(), 40);
}

TEST(RealCases, NeedExamples) {
  RealModel given = testing_model();
  given.layers[0].pass.reset();
  EXPECT_THROW(real_cases(given), std::invalid_argument);
}

// Each by itself, in all columns.
TEST(RealCases, AreFittedByTheMethodAskedFor) {
  RealModel model = testing_model();
  const MatrixF random = pass::normal_rows(2, 60, 30);
  const MatrixF far = pass::normal_rows(4, 40, 30, 1.5);
  for (const stats::CavMethod method :
       {stats::CavMethod::kPattern, stats::CavMethod::kFast, stats::CavMethod::kRidge,
        stats::CavMethod::kLogistic, stats::CavMethod::kSvm}) {
    model.cav.method = method;
    const Vector w = stats::fit_cav(random.cast<double>(), far.cast<double>(), model.cav).direction;
    const Vector expected = model.layers[0].gradients.cast<double>() * w;
    EXPECT_TRUE(real_cases(model)[1].refitter->full().isApprox(expected, 1e-4)) << stats::name(method);
  }
}

TEST(DrawRows, KeepsTheConceptUnlessAsked) {
  const RealCase one = real_cases(testing_model())[0];
  Stream stream(1);
  const fit::Choice kept = draw_rows(*one.refitter, 100, false, stream);
  EXPECT_EQ(kept.random.size(), 100U);
  EXPECT_EQ(kept.concept_rows, fit::row_range(60, 100));
  const fit::Choice drawn = draw_rows(*one.refitter, 100, true, stream);
  EXPECT_EQ(drawn.concept_rows.size(), 40U);
  EXPECT_NE(drawn.concept_rows, kept.concept_rows);
  for (const Index row : drawn.concept_rows) EXPECT_TRUE(row >= 60 && row < 100);
}

TEST(PartOfRows, PartsMakeUpTheRandomRows) {
  const fit::Choice all{fit::row_range(0, 60), fit::row_range(60, 100)};
  fit::RowNumbers together;
  for (Index run = 0; run < 7; ++run) {
    const fit::Choice part = part_of_rows(all, run, 7);
    EXPECT_EQ(part.concept_rows, all.concept_rows);
    together.insert(together.end(), part.random.begin(), part.random.end());
  }
  EXPECT_EQ(together, all.random);
}

}  // namespace
}  // namespace atcav::paper
