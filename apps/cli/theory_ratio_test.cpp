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

TEST(TheoryRatio, PrintsTheKnownNumbers) {
  const std::string text = run_theory("ratio --runs 2,10,50");
  for (const char* number : {"0.5535", "0.4710", "0.4558", "0.6281", "0.6234", "0.6333", "0.6366"}) {
    EXPECT_THAT(text, HasSubstr(number));
  }
}

TEST(TheoryRatio, KnowsTheSignalOfOneRun) {
  const auto results = run_theory_json("ratio --runs 10 --mu 0.3 --sigma 2 --n 1000").at("results");
  EXPECT_EQ(results[0].at("exact"), stats::variance_ratio(10, std::sqrt(100.0) * 0.3 / 2));
  EXPECT_TRUE(results[1].at("runs").is_null());
}

TEST(TheoryRatio, RefusesOneRun) {
  EXPECT_THROW(run_theory("ratio --runs 1"), std::invalid_argument);
  EXPECT_THROW(run_theory("ratio --runs 2 --sigma 0"), CLI::ValidationError);
}

}  // namespace
}  // namespace atcav::cli
