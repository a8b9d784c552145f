#include "pipeline/warnings.h"

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
  examples.accuracy.interval = examples.accuracy.auc_interval = {0.9, 0.98};
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
  result.effect.logits = 1;
  EXPECT_THAT(warnings_of(result, 0, {}), ElementsAre(StartsWith("d is undefined: random examples do not")));
  result = good();
  result.examples->accuracy.interval = {0.65, 0.73};
  EXPECT_THAT(warnings_of(result, 0, {}), ElementsAre());
  result.examples->accuracy.auc = 0.54;
  result.examples->accuracy.auc_interval = {0.48, 0.6};
  EXPECT_THAT(warnings_of(result, 0, {}),
              ElementsAre("not shown to be encoded at this layer: held-out AUC 0.54 "
                          "(0.48 to 0.60), chance is 0.50"));
  result = good();
  result.examples->significance.use_p = 0.2;
  result.examples->significance.welch_p = 0.001;
  EXPECT_THAT(warnings_of(result, 0, {}),
              ElementsAre(StartsWith("the usual t-test over runs (p = 0.001) is too optimistic")));
  result = good();
  result.examples->n_concept = 3;
  result.examples->multi.runs = 3;
  EXPECT_THAT(warnings_of(result, 0, {}), Contains(StartsWith("few examples (3 concept")));
  EXPECT_THAT(warnings_of(result, 0, {}), Contains(StartsWith("too few examples for 10 runs")));
}

TEST(InterventionWarnings, WhereTheEvenPartIsTheLargerOne) {
  Result result = good();
  Intervention& found = result.intervention.emplace();
  found.of_class.odd = {0.2, 1, 2};
  found.of_class.even = {0.1, 3, 9};
  found.of_class.p = {1, 1, 1};
  found.of_class.error_inputs = found.of_class.error_examples = {0.1, 0.1, 0.1};
  found.of_class.skewness = {0, 0, 0};
  found.of_class.inputs = 30;
  EXPECT_THAT(intervention_warnings(result, 0.05), IsEmpty()) << "dose 0.1 is the one that is quoted";
  found.random = found.of_class;
  EXPECT_THAT(
      intervention_warnings(result, 0.05),
      ElementsAre(HasSubstr("on random inputs at dose 1: moving either way changes the logit by +9")));
}

TEST(InterventionWarnings, WhereFewInputsCarryTheMean) {
  Result result = good();
  DoseResponse& added = result.intervention.emplace().of_class;
  added.odd = {0.1, 0.5, 1};
  added.even = {0, 0, 0};
  added.p = {0.01, 0.01, 0.01};
  added.error_inputs = added.error_examples = {0.1, 0.1, 0.1};
  added.skewness = {0, 0, 2.5};
  added.inputs = 20;
  EXPECT_THAT(intervention_warnings(result, 0.05),
              ElementsAre(StartsWith("what adding does is skewed over the 20 inputs (skewness +2.5)")));
  added.error_examples.back() = 1;  // which then make the error
  added.p.back() = 0.5;
  EXPECT_THAT(intervention_warnings(result, 0.05), IsEmpty());
  added.p.back() = 0.01;
  added.skewness.back() = 0;
  EXPECT_THAT(intervention_warnings(result, 0.05),
              ElementsAre(StartsWith("20 inputs may hold none of a kind that one in 6")));
  Erasure& taken = result.erasure.emplace();
  taken.inputs = 20;
  taken.skewness = -3;
  taken.error_inputs = 1;
  EXPECT_THAT(erasure_warnings(result, 0.05), ElementsAre(StartsWith("what taking away does is skewed")));
}

TEST(TopClassWarnings, FewInputsOfTheClass) {
  Result result = good();
  EXPECT_THAT(top_class_warnings(result), IsEmpty());
  result.top_share = 0.3;
  EXPECT_THAT(top_class_warnings(result), IsEmpty());
  result.top_share = 0.29;
  EXPECT_THAT(top_class_warnings(result),
              ElementsAre(StartsWith("the network's largest logit is this class for 29 %")));
}

TEST(UnusedChoices, AreNamed) {
  Options options;
  for (const auto method : {stats::CavMethod::kPattern, stats::CavMethod::kRidge, stats::CavMethod::kSvm}) {
    options.cav.method = method;
    EXPECT_TRUE(unused_choices(options).empty());
  }
  options.cav = {.method = stats::CavMethod::kSvm, .lambda = 0.5, .cost = 2, .centred = false};
  EXPECT_EQ(unused_choices(options),
            (std::vector<std::string>{
                "lambda is 0.5 and was not used: that is for ridge, and the CAVs are svm",
                "centred is false and was not used: that is for ridge, and the CAVs are svm"}));
  options.cav.method = stats::CavMethod::kRidge;
  EXPECT_EQ(unused_choices(options),
            (std::vector<std::string>{
                "cost is 2 and was not used: that is for logistic and svm, and the CAVs are ridge"}));
}

}  // namespace
}  // namespace atcav
