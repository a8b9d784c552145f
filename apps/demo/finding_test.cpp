#include "apps/demo/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atcav::demo {
namespace {

using testing::HasSubstr;
using testing::Not;

Result result(const std::string& concept_name, double effect, double posterior, double accuracy, double p) {
  Result r;
  r.concept_name = concept_name;
  r.class_name = "zebra";
  r.layer = "block3";
  r.magnitude = effect;
  r.empirical_bayes = posterior;
  r.accuracy.held_out = accuracy;
  r.significance.bonferroni = p;
  return r;
}

TEST(DemoFindings, TruthThatIsFoundAgrees) {
  const auto findings =
      demo_findings({result("striped", 2, 0.99, 0.8, 0.01), result("dotted", -0.5, 0.02, 0.7, 0.01),
                     result("left", 0.04, 0.9, 0.7, 0.3), result("red", 0.01, 0.5, 0.52, 1)});
  for (const DemoFinding& finding : findings) EXPECT_TRUE(finding.agrees) << finding.sentence;
  EXPECT_EQ(findings[0].sign, 1);
  EXPECT_EQ(findings[1].sign, -1);
  EXPECT_EQ(findings[2].sign, 0);
  EXPECT_DOUBLE_EQ(findings[1].effect_share, 0.25);
  EXPECT_THAT(findings[0].sentence, HasSubstr("striped speaks for zebra"));
  EXPECT_THAT(findings[3].sentence, HasSubstr("not encoded, accuracy 0.52"));
}

TEST(DemoFindings, WrongSignOrVisibleColourDoesNotAgree) {
  const auto findings = demo_findings({result("striped", -2, 0.01, 0.8, 0.01),
                                       result("dotted", -1, 0.6, 0.7, 1), result("red", 0, 0.5, 0.75, 1)});
  for (const DemoFinding& finding : findings) EXPECT_FALSE(finding.agrees) << finding.sentence;
  EXPECT_THAT(findings[0].sentence, HasSubstr("Found: it speaks against"));
}

// Effect and significance are two things.
TEST(DemoFindings, ASmallEffectThatIsSignificantIsSaidToBeBoth) {
  const auto findings =
      demo_findings({result("striped", 2, 0.99, 0.8, 0.01), result("left", -0.06, 0.2, 0.7, 0.01)});
  EXPECT_TRUE(findings[1].agrees);
  EXPECT_THAT(findings[1].sentence, HasSubstr("significant (p = 0.01) but small, 3 %"));
  EXPECT_THAT(findings[0].sentence, Not(HasSubstr("but small")));
}

TEST(DemoFindings, EffectsAreComparedWithinClassAndLayer) {
  Result elsewhere = result("striped", 100, 0.99, 0.8, 0.01);
  elsewhere.layer = "block4";
  const auto findings = demo_findings({result("striped", 2, 0.99, 0.8, 0.01), elsewhere});
  EXPECT_DOUBLE_EQ(findings[0].effect_share, 1);
  EXPECT_DOUBLE_EQ(findings[1].effect_share, 1);
}

TEST(DemoFindings, AllZeroEffectsAreNone) {
  const auto findings = demo_findings({result("red", 0, 0.5, 0.5, 1)});
  EXPECT_EQ(findings[0].effect_share, 0);
  EXPECT_TRUE(findings[0].agrees);
}

TEST(DemoFindings, RefuseResultsThatAreNotTheDemos) {
  EXPECT_THROW(demo_findings({result("wooden", 1, 1, 1, 1)}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::demo
