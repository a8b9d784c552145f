#include "pipeline/dose_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace atcav {
namespace {

using testing::ElementsAre;

// Two doses, three logits and one target behind them.
Moved example() {
  Moved moved;
  moved.inputs = 5;
  moved.classes = 3;
  moved.odd.resize(2, 4);
  moved.odd << 1, 3, 2, 9, -1, -3, -2, -9;
  moved.odd_error = moved.even_error = Matrix::Constant(2, 4, 0.5);
  moved.odd_skewness = Matrix::Zero(2, 4);
  moved.even = Matrix::Constant(2, 4, 0.25);
  return moved;
}

TEST(DoseResponse, IntervalsAndRanks) {
  const DoseResponse found = dose_response(example(), 2, {}, 0.95);
  EXPECT_THAT(found.odd, ElementsAre(2, -2));
  EXPECT_THAT(found.rank, ElementsAre(2, 2));
  // t with four degrees of freedom at 95 %: 2.77645.
  EXPECT_NEAR(found.high[0], 2 + 2.77645 * 0.5, 1e-4);
  EXPECT_NEAR(found.low[1], -2 - 2.77645 * 0.5, 1e-4);
}

TEST(DoseResponse, ErrorsOfTheExamplesCount) {
  const std::vector<std::vector<stats::VariancePart>> parts(2, {{0.75, 4}});
  const DoseResponse found = dose_response(example(), 2, {parts, parts}, 0.95);
  // √(0.25 + 0.75), Satterthwaite 1/(0.25²/4 + 0.75²/4) = 6.4 degrees: t 2.4103.
  EXPECT_NEAR(found.high[0], 2 + 2.4103, 1e-3);
  EXPECT_DOUBLE_EQ(found.error_inputs[0], 0.5);
  EXPECT_DOUBLE_EQ(found.error_examples[0], std::sqrt(0.75));
}

TEST(DoseResponse, WhatIsNoLogitHasNoRank) {
  EXPECT_THAT(dose_response(example(), 3, {}, 0.95).rank, ElementsAre(1, 1));
}

TEST(DoseResponse, OneInputHasNoInterval) {
  Moved one = example();
  one.inputs = 1;
  EXPECT_EQ(dose_response(one, 0, {}, 0.95).low[0], -HUGE_VAL);
}

TEST(SpeaksFor, OrdersLogitsByTheLastDose) {
  const SpeaksFor found = speaks_for(example(), {"", "horse"});
  ASSERT_EQ(found.most.size(), 3U);
  EXPECT_EQ(found.most[0].index, 0);
  EXPECT_EQ(found.most[0].name, "");
  EXPECT_EQ(found.least[0].index, 1);
  EXPECT_EQ(found.least[0].name, "horse");
  EXPECT_EQ(found.least[2].odd, -1);
}

}  // namespace
}  // namespace atcav
