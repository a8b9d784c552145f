#include "pipeline/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atcav {
namespace {

using testing::HasSubstr;
using testing::Not;

// Gradients, adding, taking away and the real difference: each with its p or an interval of ± 1.
Result seen(double gradients, double gradients_p, double added, double added_p, double taken,
            double taken_p) {
  Result result;
  result.concept_name = "striped";
  result.class_name = "zebra";
  result.layer = "add_72";
  result.effect.logits = gradients;
  result.effect.interval = {gradients - 1, gradients + 1};
  result.examples.emplace().significance.bonferroni = gradients_p;
  Intervention& found = result.intervention.emplace();
  found.classes = 1000;
  DoseResponse& random = found.random.emplace();
  random.odd = {added};
  random.low = {added - 1};
  random.high = {added + 1};
  random.bonferroni = {added_p};
  random.rank = {1};
  Erasure& erasure = result.erasure.emplace();
  erasure.change = taken;
  erasure.share = {0.2, 0.1};
  erasure.interval = {taken - 1, taken + 1};
  erasure.bonferroni = taken_p;
  return result;
}

TEST(Judge, SaysWhereGradientsShowLittleAndTheNetworkMuch) {
  const Verdict verdict = judge(seen(0.6, 0.5, 4.0, 0.001, -1.2, 0.01), 0.95);
  EXPECT_EQ(verdict.use, Use::kFor);
  EXPECT_FALSE(verdict.agrees);
  EXPECT_EQ(verdict.text,
            "Gradients at zebra inputs show little (+0.60, interval holds 0), but adding striped raises "
            "zebra by 4.0 "
            "logits, more than any other of 1000 classes, and without it zebra falls by 1.2: used, not at "
            "the margin.");
}

TEST(Judge, SaysWhereGradientsPointTheOtherWay) {
  const Verdict verdict = judge(seen(-1.12, 0.001, 0.25, 0.4, -0.1, 0.8), 0.95);
  EXPECT_EQ(verdict.use, Use::kNoEvidence);
  EXPECT_FALSE(verdict.agrees);
  EXPECT_EQ(verdict.text,
            "Gradients at zebra inputs point away from zebra (−1.12 logits), but adding striped does not "
            "clearly move zebra (+0.25, interval −0.75 to +1.25), and without it zebra does not clearly "
            "change (−0.10, interval −1.10 to +0.90): not shown to be used.");
  const Verdict open = judge(seen(1.12, 0.001, 0.25, 0.4, -0.1, 0.8), 0.95);
  EXPECT_EQ(open.use, Use::kNoEvidence);
  EXPECT_THAT(open.text, HasSubstr("undecided, more inputs could tell"));
  const Verdict misled = judge(seen(-1.12, 0.001, 4, 0.001, -0.1, 0.8), 0.95);
  EXPECT_EQ(misled.use, Use::kFor);
  EXPECT_THAT(misled.text, HasSubstr("used; the gradients mislead"));
}

// An interval without 0 beside "not clearly" would puzzle.
TEST(Judge, NamesTheCorrectionWhereItDecides) {
  EXPECT_THAT(judge(seen(0.6, 0.5, 4, 0.001, -1.5, 0.3), 0.95).text,
              HasSubstr("though without it zebra does not clearly change (−1.50, p = 0.300 among so many"));
}

TEST(Judge, PutsButBeforeTheLineThatSpeaks) {
  EXPECT_THAT(
      judge(seen(0.6, 0.5, 0.4, 0.5, -1.2, 0.01), 0.95).text,
      HasSubstr("(+0.60, interval holds 0), and adding striped does not clearly move zebra (+0.40, interval "
                "−0.60 to +1.40), but without it zebra falls by 1.2: used"));
  EXPECT_THAT(
      judge(seen(-2, 0.001, 0.4, 0.5, -1.2, 0.01), 0.95).text,
      HasSubstr(
          "point away from zebra (−2.00 logits), while adding striped does not clearly move zebra (+0.40, "
          "interval −0.60 to +1.40), but without it zebra falls by 1.2: used; the gradients mislead"));
  EXPECT_THAT(
      judge(seen(2, 0.001, 0.4, 0.5, -1.2, 0.01), 0.95).text,
      HasSubstr("does not clearly move zebra (+0.40, interval −0.60 to +1.40), but without it zebra falls"));
}

TEST(Judge, SaysWhereManyClassesMoveAlike) {
  Result result = seen(0.6, 0.5, 4, 0.001, -1.2, 0.01);
  result.intervention->random->rank = {91};
  EXPECT_THAT(judge(result, 0.95).text, HasSubstr("(rank 91 of 1000 classes)"));
  EXPECT_THAT(judge(result, 0.95).text, HasSubstr("used, as by many other classes, not at the margin"));
}

TEST(Judge, AgreesWhereAllLinesDo) {
  const Verdict used = judge(seen(2, 0.001, 4, 0.001, -1.2, 0.01), 0.95);
  EXPECT_TRUE(used.agrees);
  EXPECT_THAT(used.text, HasSubstr("the model uses it for zebra: adding striped raises zebra by 4.0 logits"));
  const Verdict against = judge(seen(-2, 0.001, -4, 0.001, 1.2, 0.01), 0.95);
  EXPECT_EQ(against.use, Use::kAgainst);
  EXPECT_THAT(against.text, HasSubstr("without it zebra rises by 1.2"));
  const Verdict unused = judge(seen(0.1, 0.9, 0.1, 0.9, -0.1, 0.9), 0.95);
  EXPECT_TRUE(unused.agrees);
  EXPECT_THAT(unused.text, HasSubstr("no evidence that the model uses it for zebra"));
}

TEST(Judge, AddingAndTakingAwayMayContradictEachOther) {
  const Verdict verdict = judge(seen(2, 0.001, 4, 0.001, 1.2, 0.01), 0.95);
  EXPECT_EQ(verdict.use, Use::kNoEvidence);
  EXPECT_FALSE(verdict.agrees);
  EXPECT_THAT(verdict.text, HasSubstr("undecided for zebra: adding striped raises"));
}

// Horses have less texture than random pictures: erasing gives them some, and what falls then is no use.
TEST(Judge, InputsWithLessThanRandomOnesAreGivenTheConcept) {
  Result result = seen(-2, 0.001, -1, 0.5, -1.2, 0.01);
  result.erasure->inputs = 30;
  result.erasure->share.mean = -0.3;
  const Verdict verdict = judge(result, 0.95);
  EXPECT_EQ(verdict.use, Use::kAgainst);
  EXPECT_THAT(verdict.text, HasSubstr("are brought up to those, zebra falls by 1.2"));
  result.erasure->share = {-0.01, 0.2};
  EXPECT_THAT(judge(result, 0.95).text, HasSubstr("without it zebra falls by 1.2"))
      << "as much as random ones have";
  result.erasure->share = {-14, 3};
  EXPECT_THAT(judge(result, 0.95).text, HasSubstr("without it zebra falls by 1.2")) << "noise over nothing";
}

TEST(Judge, RealExamplesThatSayTheOppositeAreNamed) {
  Result result = seen(2, 0.001, 4, 0.001, -1.2, 0.01);
  result.logits.emplace().difference = -3;
  result.logits->interval = {-4, -2};
  const Verdict verdict = judge(result, 0.95);
  EXPECT_EQ(verdict.use, Use::kFor) << "it never decides";
  EXPECT_FALSE(verdict.agrees);
  EXPECT_THAT(verdict.text,
              HasSubstr("Yet real striped examples have 3.0 fewer zebra logits than random ones."));
  EXPECT_EQ(verdict.evidence.size(), 4U);
}

TEST(Judge, ArraysHaveFirstOrderOnlyAndSaySo) {
  Result result = seen(2, 0.001, 0, 1, 0, 1);
  result.intervention.reset();
  result.erasure.reset();
  const Verdict verdict = judge(result, 0.95);
  EXPECT_EQ(verdict.use, Use::kFor);
  EXPECT_THAT(verdict.text, HasSubstr("First order only"));
  EXPECT_THAT(verdict_text(result, verdict, true), Not(HasSubstr("First order only")));
  EXPECT_THAT(verdict_text(result, verdict, true), HasSubstr("uses it for zebra at add_72"));
}

TEST(Judge, AShownAbsenceIsSaid) {
  Result result = seen(0.1, 0.9, 0.1, 0.9, -0.1, 0.9);
  result.examples->equivalence.verdict = UseVerdict::kNotBeyond;
  EXPECT_THAT(judge(result, 0.95).text, HasSubstr("To first order any effect is smaller than d = 0.2."));
}

}  // namespace
}  // namespace atcav
