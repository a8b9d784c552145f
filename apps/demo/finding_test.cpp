#include "apps/demo/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atcav::demo {
namespace {

using testing::HasSubstr;
using testing::Not;

Result result(const std::string& concept_name, double d, double accuracy_low, double p) {
  Result r;
  r.concept_name = concept_name;
  r.class_name = "zebra";
  r.layer = "block3";
  r.effect.d = r.effect.logits = d;
  FromExamples& examples = r.examples.emplace();
  examples.accuracy.held_out = 0.52;
  examples.accuracy.interval = examples.accuracy.auc_interval = {accuracy_low, 1};
  examples.significance.bonferroni = p;
  return r;
}

TEST(Findings, TruthThatIsFoundAgrees) {
  const auto found = findings({result("striped", 2, 0.8, 0.01), result("dotted", -0.5, 0.7, 0.01),
                               result("left", 0.04, 0.7, 0.3), result("red", 0.01, 0.48, 1)});
  for (const Finding& finding : found) EXPECT_TRUE(finding.agrees) << finding.sentence;
  EXPECT_EQ(found[0].sign, 1);
  EXPECT_EQ(found[1].sign, -1);
  EXPECT_EQ(found[2].sign, 0);
  EXPECT_THAT(found[0].sentence, HasSubstr("striped speaks for zebra"));
  EXPECT_THAT(found[3].sentence, HasSubstr("not shown to be encoded, accuracy 0.52"));
}

TEST(Findings, WrongSignOrVisibleColourDoesNotAgree) {
  const auto found =
      findings({result("striped", -2, 0.8, 0.01), result("dotted", -1, 0.7, 1), result("red", 0, 0.75, 1)});
  for (const Finding& finding : found) EXPECT_FALSE(finding.agrees) << finding.sentence;
  EXPECT_THAT(found[0].sentence, HasSubstr("Found: it speaks against"));
}

// Effect and significance are two things.
TEST(Findings, ASmallEffectThatIsSignificantIsSaidToBeBoth) {
  const auto found = findings({result("striped", 2, 0.8, 0.01), result("left", -0.06, 0.7, 0.01)});
  EXPECT_TRUE(found[1].agrees);
  EXPECT_THAT(found[1].sentence, HasSubstr("more than chance (test of use, p = 0.01) but small"));
  EXPECT_THAT(found[0].sentence, Not(HasSubstr("but small")));
}

TEST(Findings, RefuseResultsThatAreNotTheDemos) {
  EXPECT_THROW(findings({result("wooden", 1, 1, 1)}), std::invalid_argument);
  Result given = result("striped", 1, 1, 1);
  given.examples.reset();
  EXPECT_THROW(findings({given}), std::invalid_argument);
}

// The texture of a class's own scenes is what speaks for it; nothing else does.
TEST(Truth, AClassIsSpokenForByItsOwnTextureAlone) {
  const auto texture = [](Set set) {
    Stream stream(1);
    return make_scene(set, 0, stream).texture;
  };
  for (const Set class_set : kClasses) {
    for (const Set concept_set : {Set::kStriped, Set::kDotted}) {
      EXPECT_EQ(truth(concept_set, class_set).sign, texture(concept_set) == texture(class_set) ? 1 : -1);
    }
    for (const Set concept_set : {Set::kLeft, Set::kRed}) EXPECT_EQ(truth(concept_set, class_set).sign, 0);
  }
}

TEST(Truth, ColourAloneIsInvisible) {
  for (const Set class_set : kClasses) {
    for (const Set set : kConcepts) EXPECT_EQ(truth(set, class_set).encoded, set != Set::kRed);
  }
}

TEST(Truth, RefusesWhatIsNoConceptOrClass) {
  EXPECT_THROW(truth(Set::kStriped, Set::kNeither), std::invalid_argument);
  EXPECT_THROW(truth(Set::kRandom, Set::kZebra), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::demo
