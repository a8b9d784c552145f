#include "atcav/run/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace atcav {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;

// A result nobody would worry about.
Result good() {
  Result result;
  result.n_class = 50;
  result.n_random = 500;
  result.n_concept = 100;
  result.tcav = 0.8;
  result.gamma = 1;
  result.alpha_dagger = 2;
  result.multi.runs = 10;
  result.accuracy.held_out = 0.95;
  return result;
}

TEST(WarningsOf, NothingToSay) { EXPECT_THAT(warnings_of(good(), {}, {}), IsEmpty()); }

TEST(WarningsOf, EachTroubleHasItsSentence) {
  Result result = good();
  Evidence evidence;
  result.zero_share = 1;
  result.tcav = 0;
  EXPECT_THAT(warnings_of(result, evidence, {}), Contains(StartsWith("every sensitivity is zero")));
  evidence.zero_gradients = 50;
  EXPECT_THAT(warnings_of(result, evidence, {}), Contains(StartsWith("every gradient is zero")));
  result = good();
  evidence.zero_gradients = 3;
  result.zero_share = 0.06;
  EXPECT_THAT(warnings_of(result, evidence, {}), Contains("3 of 50 inputs have a zero gradient"));
  EXPECT_THAT(warnings_of(result, evidence, {}),
              Contains(StartsWith("6.0 % of the sensitivities are exactly zero")));
  evidence.zero_gradients = 0;
  result = good();
  result.tcav = 1;
  EXPECT_THAT(warnings_of(result, evidence, {}),
              Contains(StartsWith("saturated: all 50 inputs have a positive")));
  result = good();
  result.gamma = 1e-7;
  EXPECT_THAT(warnings_of(result, evidence, {}), Contains(StartsWith("sensitivities are tiny")));
  result = good();
  result.alpha_dagger = std::numeric_limits<double>::infinity();
  EXPECT_THAT(warnings_of(result, evidence, {}), Contains(StartsWith("all sensitivities are equal")));
  result = good();
  result.accuracy.held_out = 0.52;
  EXPECT_THAT(warnings_of(result, evidence, {}), Contains(StartsWith("hardly encoded")));
  result = good();
  result.significance.welch_p = 0.001;
  result.significance.permutation_p = 0.2;
  EXPECT_THAT(warnings_of(result, evidence, {}),
              Contains(StartsWith("the field's t-test (p = 0.001) overstates")));
  result = good();
  result.n_class = 1;
  result.n_concept = 3;
  EXPECT_THAT(warnings_of(result, evidence, {}), Contains(StartsWith("one class input")));
  EXPECT_THAT(warnings_of(result, evidence, {}), Contains(StartsWith("few examples (3 concept")));
}

}  // namespace
}  // namespace atcav
