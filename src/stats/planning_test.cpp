#include "atcav/planning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace atcav::stats {
namespace {

using ::testing::HasSubstr;

constexpr Pilot kPilot{.random_variance = 0.8, .concept_variance = 0.3};

double error_of(const Pilot& pilot, Index n1, Index n2) {
  return std::sqrt(pilot.random_variance / static_cast<double>(n1) +
                   pilot.concept_variance / static_cast<double>(n2));
}

TEST(PlanRandom, IsTheSmallestThatReachesTheTarget) {
  for (const double target : {0.06, 0.1, 0.3}) {
    const Plan plan = plan_random(kPilot, target, 100);
    ASSERT_TRUE(plan.possible);
    EXPECT_LE(plan.standard_error, target);
    EXPECT_GT(error_of(kPilot, plan.n_random - 1, 100), target);
    EXPECT_EQ(plan.n_concept, 100);
  }
}

TEST(PlanRandom, WholeNumbersAreNotRoundedUpAgain) {
  // 0.8/400 + 0.3/100 = 0.005 exactly.
  EXPECT_EQ(plan_random(kPilot, std::sqrt(0.005), 100).n_random, 400);
}

TEST(PlanRandom, SaysWhenTheConceptIsTheFloor) {
  const Plan plan = plan_random(kPilot, 0.05, 100);
  EXPECT_FALSE(plan.possible);
  EXPECT_NEAR(plan.standard_error, std::sqrt(0.003), 1e-15);
  EXPECT_EQ(plan.n_random, 0);
  EXPECT_THAT(plan.reason, HasSubstr("with 100 concept rows the standard error cannot go below 0.0547723"));
}

TEST(PlanConcept, MirrorsPlanRandom) {
  const Pilot mirrored{.random_variance = kPilot.concept_variance,
                       .concept_variance = kPilot.random_variance};
  EXPECT_EQ(plan_concept(mirrored, 0.06, 100).n_concept, plan_random(kPilot, 0.06, 100).n_random);
  EXPECT_FALSE(plan_concept(mirrored, 0.05, 100).possible);
}

TEST(PlanRandom, NoVarianceNeedsTwoRows) {
  EXPECT_EQ(plan_random({.random_variance = 0, .concept_variance = 0.3}, 0.06, 100).n_random, 2);
  EXPECT_FALSE(plan_random({.random_variance = 0, .concept_variance = 0.3}, 0.05, 100).possible);
  EXPECT_TRUE(plan_cheapest({}, 0.01).possible);
  EXPECT_EQ(plan_cheapest({}, 0.01).n_concept, 2);
}

// Against trying every pair.
TEST(PlanCheapest, BeatsExhaustiveSearch) {
  for (const Costs& costs : {Costs{1, 1}, Costs{1, 25}, Costs{3, 0.5}}) {
    for (const double target : {0.12, 0.2, 0.5}) {
      double cheapest = std::numeric_limits<double>::infinity();
      for (Index n1 = 2; n1 < 600; ++n1) {
        for (Index n2 = 2; n2 < 600; ++n2) {
          if (error_of(kPilot, n1, n2) > target) continue;
          cheapest = std::min(cheapest, costs.random * n1 + costs.of_concept * n2);
          break;
        }
      }
      const Plan plan = plan_cheapest(kPilot, target, costs);
      ASSERT_TRUE(plan.possible);
      EXPECT_LE(plan.standard_error, target);
      // The search nearby may miss the very best whole numbers by one row of the more expensive kind.
      EXPECT_LE(plan.cost, cheapest + std::max(costs.random, costs.of_concept));
    }
  }
}

TEST(PlanCheapest, AllocatesByDeviationAndCost) {
  const Plan plan = plan_cheapest(kPilot, 0.001, {.random = 1, .of_concept = 9});
  EXPECT_NEAR(static_cast<double>(plan.n_random) / static_cast<double>(plan.n_concept),
              std::sqrt(0.8 / (0.3 / 9)), 1e-4);
}

TEST(Planning, RefusesBadArguments) {
  EXPECT_THROW(plan_random({.random_variance = -1, .concept_variance = 1}, 0.1, 10), std::invalid_argument);
  EXPECT_THROW(plan_random(kPilot, 0, 10), std::invalid_argument);
  EXPECT_THROW(plan_concept(kPilot, 0.1, 1), std::invalid_argument);
  EXPECT_THROW(plan_cheapest(kPilot, 0.1, {.random = 0, .of_concept = 1}), std::invalid_argument);
  EXPECT_FALSE(plan_cheapest(kPilot, 1e-12).possible);
  EXPECT_THAT(plan_cheapest(kPilot, 1e-12).reason, HasSubstr("impossible"));
}

// Large-sample normal quantiles by hand: 1.95996 + 0.84162 standard errors find an effect; at d = 0 both
// one-sided tests hold with 0.8 when 1.64485 + 1.28155 fit into the bound.
TEST(DecidingFactor, KnownAnswers) {
  constexpr double kMany = 1e12;
  EXPECT_NEAR(deciding_factor(0.5, 0.5 / 2.80158, kMany, 0.2, 0.05, 0.05), 1, 1e-5);
  EXPECT_NEAR(deciding_factor(0.5, 1 / 2.80158, kMany, 0.2, 0.05, 0.05), 4, 1e-4);
  EXPECT_NEAR(deciding_factor(0, 0.2 / 2.92640, kMany, 0.2, 0.05, 0.05), 1, 1e-5);
  EXPECT_NEAR(deciding_factor(0, 0.6 / 2.92640, kMany, 0.2, 0.05, 0.05), 9, 1e-4);
  EXPECT_GT(deciding_factor(0, 0.1, 10, 0.2, 0.05, 0.05), deciding_factor(0, 0.1, kMany, 0.2, 0.05, 0.05));
  EXPECT_EQ(deciding_factor(5, 0.1, 20, 0.2, 0.05, 0.05), 1);
}

// t₁₀: 2.228139 and 0.879058; a corrected level of 0.05/4 puts 3.038 in place of the first (tables); the 30 %
// point of χ²₁₀ is 7.267218.
TEST(DetectingError, CountsThePilotsNoiseAndManyTests) {
  const double unlucky = std::sqrt(0.7267218);
  EXPECT_NEAR(detecting_error(1, 0.95, 0.8, 10), unlucky / (2.228139 + 0.879058), 1e-6);
  EXPECT_NEAR(detecting_error(1, 0.95, 0.8, 10, 4), unlucky / (3.038 + 0.879058), 1e-4);
  EXPECT_NEAR(detecting_error(1, 0.95, 0.8), 1 / 2.801585, 1e-6);
  EXPECT_THROW(detecting_error(1, 0.95, 0.8, 10, 0), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
