#include "apps/paper/real.h"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/testing_layers.h"
#include "atcav/score.h"

namespace atcav::paper {
namespace {

TEST(RealCases, AreAllConceptsOfAllLayers) {
  const std::vector<RealCase> cases = real_cases(testing_layers());
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[1].label, "block, far");
  EXPECT_EQ(cases[1].of_concept.columns(), 40);
}

TEST(RealCases, NeedExamples) {
  std::vector<LayerData> given = testing_layers();
  given[0].pass.reset();
  EXPECT_THROW(real_cases(given), std::invalid_argument);
}

TEST(DrawRows, KeepsTheConceptUnlessAsked) {
  const RealCase one = real_cases(testing_layers())[0];
  const fit::MeanRefitter refitter(one.random, one.of_concept, false);
  Stream stream(1);
  const DrawnRows kept = draw_rows(refitter, 100, false, stream);
  EXPECT_EQ(kept.random.size(), 100U);
  EXPECT_EQ(kept.of_concept, fit::row_range(60, 100));
  const DrawnRows drawn = draw_rows(refitter, 100, true, stream);
  EXPECT_EQ(drawn.of_concept.size(), 40U);
  EXPECT_NE(drawn.of_concept, kept.of_concept);
  for (const Index row : drawn.of_concept) EXPECT_TRUE(row >= 60 && row < 100);
}

TEST(MultiTcav, OneRunIsTcav) {
  const RealCase one = real_cases(testing_layers())[0];
  const fit::MeanRefitter refitter(one.random, one.of_concept, false);
  const DrawnRows all{fit::row_range(0, 60), fit::row_range(60, 100)};
  EXPECT_DOUBLE_EQ(multi_tcav(refitter, all, 1), stats::tcav(refitter.full()));
}

}  // namespace
}  // namespace atcav::paper
