#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "apps/cli/theory.h"
#include "atcav/stats/planning.h"
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
  std::ofstream(path) << R"({"results": [{"concept": "a", "standard_error": {"cav": 0.1, "inputs": 0.1}},
      {"concept": "b", "standard_error": {"variance_random": 0.8, "variance_concept": 0.3}}]})";
  const std::string wanted = " --standard-error 0.06 --n-concept 100";
  EXPECT_EQ(run_theory_json("plan --results " + path + wanted).at("n_random"),
            run_theory_json(kPilot + wanted).at("n_random"));
  EXPECT_THROW(run_theory("plan --results " + path + " --concept a" + wanted), std::invalid_argument);
  EXPECT_THROW(run_theory("plan --standard-error 0.06"), std::invalid_argument);
}

TEST(TheoryPlan, NotBothSidesGiven) {
  EXPECT_THROW(run_theory(kPilot + "--standard-error 0.05 --n-concept 100 --n-random 3"), CLI::ExcludesError);
}

}  // namespace
}  // namespace atcav::cli
