#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "apps/cli/theory.h"
#include "atcav/planning.h"
#include "tests/support/run_theory.h"

namespace atcav::cli {
namespace {

using ::testing::HasSubstr;
using testing_support::run_theory;
using testing_support::run_theory_json;

const std::string kPilot = "plan --pilot-variance-random 0.8 --pilot-variance-concept 0.3 ";

TEST(TheoryPlan, OneSideGiven) {
  const stats::Pilot pilot{.random_variance = 0.8, .concept_variance = 0.3};
  const auto random = run_theory_json(kPilot + "--standard-error 0.06 --n-concept 100");
  EXPECT_EQ(random.at("n_random"), stats::plan_random(pilot, 0.06, 100).n_random);
  const auto of_concept = run_theory_json(kPilot + "--standard-error 0.06 --n-random 1000");
  EXPECT_EQ(of_concept.at("n_concept"), stats::plan_concept(pilot, 0.06, 1000).n_concept);
}

TEST(TheoryPlan, BothFreeWithCosts) {
  const auto cheap = run_theory_json(kPilot + "--standard-error 0.02 --cost-concept 16");
  EXPECT_TRUE(cheap.at("possible"));
  // √(0.8/0.3) · √16.
  EXPECT_NEAR(cheap.at("n_random").get<double>() / cheap.at("n_concept").get<double>(), 6.532, 0.02);
}

TEST(TheoryPlan, ImpossibleIsAnAnswer) {
  EXPECT_THAT(run_theory(kPilot + "--standard-error 0.05 --n-concept 100"),
              HasSubstr("cannot go below 0.0547723"));
  const auto plan = run_theory_json(kPilot + "--standard-error 0.05 --n-concept 100");
  EXPECT_FALSE(plan.at("possible"));
  EXPECT_TRUE(plan.at("n_random").is_null());
}

TEST(TheoryPlan, TakesThePilotFromResults) {
  const std::string path = testing::TempDir() + "theory_plan_results.json";
  const auto write = [&](int n_class) {
    std::ofstream(path) << R"({"results": [{"concept": "a", "effect": {"error": {"random": null}}},
      {"concept": "b", "n_random": 400, "n_concept": 100, "n_class": )"
                        << n_class << R"(,
       "effect": {"error": {"random": 0.1, "concept": 0.3, "inputs": 0.2}}}]})";
  };
  write(30);
  // In units of the random spread 0.1·√400 = 2: variances 1, 9/4 and 0.04/4, so se² = 1/n + 2.25/200 + 0.01.
  const auto plan = run_theory_json("plan --results " + path + " --standard-error 0.15 --n-concept 200");
  EXPECT_EQ(plan.at("n_random"), 800);
  EXPECT_THROW(run_theory("plan --results " + path + " --concept a --standard-error 0.1"),
               std::invalid_argument);
  EXPECT_THROW(run_theory("plan --standard-error 0.06"), std::invalid_argument);
  EXPECT_THAT(run_theory("plan --results " + path + " --standard-error 0.05"),
              HasSubstr("the class inputs alone leave a standard error of 0.1"));
  write(5);
  EXPECT_THROW(run_theory("plan --results " + path + " --standard-error 0.15"), std::invalid_argument);
}

// 1.95996 + 0.84162: an effect of 0.56032 has a standard error of 0.2.
TEST(TheoryPlan, DetectsAnEffectWithAPower) {
  const auto plan = run_theory_json(kPilot + "--detect 0.560317 --n-concept 100");
  EXPECT_EQ(plan.at("n_random"),
            run_theory_json(kPilot + "--standard-error 0.2 --n-concept 100").at("n_random"));
  EXPECT_NEAR(plan.at("options").at("standard_error").get<double>(), 0.2, 1e-5);
  EXPECT_THROW(run_theory(kPilot + "--detect 0.5 --standard-error 0.2"), CLI::ExcludesError);
}

TEST(TheoryPlan, NotBothSidesGiven) {
  EXPECT_THROW(run_theory(kPilot + "--standard-error 0.05 --n-concept 100 --n-random 3"), CLI::ExcludesError);
}

}  // namespace
}  // namespace atcav::cli
