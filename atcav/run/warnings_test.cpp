#include "atcav/run/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace atcav {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A result nobody would worry about.
Result good() {
  Result result;
  result.n_class = 50;
  result.tcav = 0.8;
  result.gamma = 1;
  FromExamples& examples = result.examples.emplace();
  examples.n_random = 500;
  examples.n_concept = 100;
  examples.alpha_dagger = 2;
  examples.multi.runs = 10;
  examples.accuracy.held_out = 0.95;
  return result;
}

TEST(WarningsOf, NothingToSay) { EXPECT_THAT(warnings_of(good(), 0, {}), IsEmpty()); }

TEST(WarningsOf, SensitivitiesThatCannotBeRead) {
  Result result = good();
  result.examples.reset();  // given directions have these too
  result.zero_share = 1;
  result.tcav = 0;
  EXPECT_THAT(warnings_of(result, 0, {}), ElementsAre(StartsWith("every sensitivity is zero")));
  EXPECT_THAT(warnings_of(result, 50, {}), ElementsAre(StartsWith("every gradient is zero")));
  result.zero_share = 0.06;
  result.tcav = 0.5;
  EXPECT_THAT(warnings_of(result, 3, {}),
              ElementsAre("3 of 50 inputs have a zero gradient",
                          StartsWith("6.0 % of the sensitivities are exactly zero")));
  result.zero_share = 0;
  result.tcav = 1;
  EXPECT_THAT(warnings_of(result, 0, {}),
              ElementsAre(StartsWith("saturated: all 50 inputs have a positive")));
  result.tcav = 0;
  EXPECT_THAT(warnings_of(result, 0, {}),
              ElementsAre(StartsWith("saturated: none of the 50 inputs has a positive")));
  result.tcav = 0.5;
  result.gamma = 1e-7;
  EXPECT_THAT(warnings_of(result, 0, {}), ElementsAre(StartsWith("sensitivities are tiny")));
  result.gamma = 1;
  result.n_class = 1;
  EXPECT_THAT(warnings_of(result, 0, {}), ElementsAre(StartsWith("one class input")));
}

TEST(WarningsOf, ExamplesThatSayLittle) {
  Result result = good();
  result.examples->alpha_dagger = std::numeric_limits<double>::infinity();
  EXPECT_THAT(warnings_of(result, 0, {}), ElementsAre(StartsWith("all sensitivities are equal")));
  result = good();
  result.examples->accuracy.held_out = 0.52;
  EXPECT_THAT(warnings_of(result, 0, {}), ElementsAre(StartsWith("barely encoded")));
  result = good();
  result.examples->significance = {0.2, 0.001, 1, 1};
  EXPECT_THAT(warnings_of(result, 0, {}),
              ElementsAre(StartsWith("the usual t-test over runs (p = 0.001) is too optimistic")));
  result = good();
  result.examples->n_concept = 3;
  result.examples->multi.runs = 3;
  EXPECT_THAT(warnings_of(result, 0, {}), Contains(StartsWith("few examples (3 concept")));
  EXPECT_THAT(warnings_of(result, 0, {}), Contains(StartsWith("too few examples for 10 runs")));
}

// 51 tests with 999 relabellings: the smallest corrected p is 51/1000.
TEST(TopClassWarnings, FewInputsOfTheClass) {
  Result result = good();
  EXPECT_THAT(top_class_warnings(result), IsEmpty());
  result.top_share = 0.3;
  EXPECT_THAT(top_class_warnings(result), IsEmpty());
  result.top_share = 0.29;
  EXPECT_THAT(top_class_warnings(result),
              ElementsAre(StartsWith("the network's largest logit is this class for 29 %")));
}

TEST(MultiplicityNotes, WhereNothingCanBeSignificant) {
  const Options options = checked({});
  EXPECT_THAT(multiplicity_notes(49, options), IsEmpty());
  EXPECT_THAT(multiplicity_notes(51, options), ElementsAre(HasSubstr("no corrected p can be below 0.051")));
  EXPECT_THAT(multiplicity_notes(0, options), IsEmpty());
}

}  // namespace
}  // namespace atcav
