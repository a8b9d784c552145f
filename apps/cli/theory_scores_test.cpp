#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "apps/cli/theory.h"
#include "atcav/theory.h"
#include "tests/support/run_theory.h"

namespace atcav::cli {
namespace {

using ::testing::HasSubstr;
using testing_support::run_theory;
using testing_support::run_theory_json;

TEST(TheoryScores, JsonHoldsTheLibrarysNumbers) {
  const auto document =
      run_theory_json("scores --mu -0.2 --sigma 1.5 --n 300 --runs 6 --alpha 3 --alpha star");
  const stats::ScoreModel model{.mu = -0.2, .sigma = 1.5, .samples = 300};
  const auto& results = document.at("results");
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].at("mean").at("exact"), stats::tcav_moments(model).mean);
  EXPECT_EQ(results[1].at("variance").at("exact"), stats::multi_tcav_moments(model, 6).variance);
  EXPECT_EQ(results[2].at("variance").at("exact"), stats::alpha_tcav_moments(model, 3).variance);
  EXPECT_EQ(results[2].at("mean").at("approximate"), stats::alpha_tcav_moments_approximate(model, 3).mean);
  EXPECT_EQ(results[3].at("alpha"), stats::model_alpha_star(model, 6));
  EXPECT_EQ(results[3].at("choice"), "star");
}

TEST(TheoryScores, TableShowsBothAlphasByDefault) {
  const std::string text = run_theory("scores --n 1000");
  EXPECT_THAT(text, HasSubstr("star = 16.821"));
  EXPECT_THAT(text, HasSubstr("dagger = 50.463"));
  EXPECT_THAT(text, HasSubstr("Multi-TCAV has 10 runs of 100 samples"));
}

TEST(TheoryScores, RefusesBadOptions) {
  EXPECT_THROW(run_theory("scores"), CLI::RequiredError);
  EXPECT_THROW(run_theory("scores --n 100 --alpha steep"), CLI::ValidationError);
  EXPECT_THROW(run_theory("scores --n 100 --alpha -1"), CLI::ParseError);
  EXPECT_THROW(run_theory("scores --n 100 --alpha inf"), CLI::ValidationError);
  EXPECT_THROW(run_theory("scores --n 0"), std::invalid_argument);
  EXPECT_THROW(run_theory("scores --n 100 --runs 1 --alpha star"), std::invalid_argument);
}

TEST(TheoryScores, SaysHowManyPeaks) {
  const auto document =
      run_theory_json("scores --mu 0 --n 100 --runs 10 --alpha star --alpha dagger --alpha 0.1");
  EXPECT_NEAR(document.at("bimodal_alpha").get<double>(), std::sqrt(2.0) * 10, 1e-9);
  const auto& results = document.at("results");
  EXPECT_EQ(results[0].at("peaks"), 2);
  EXPECT_FALSE(results[1].contains("peaks"));
  EXPECT_EQ(results[2].at("peaks"), 1);
  EXPECT_EQ(results[3].at("peaks"), 2);
  EXPECT_EQ(results[4].at("peaks"), 1);
}

}  // namespace
}  // namespace atcav::cli
