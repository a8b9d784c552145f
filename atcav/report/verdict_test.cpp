#include "atcav/report/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atcav/report/testing_results.h"

namespace atcav::report {
namespace {

using Result;
using testing::HasSubstr;
using testing::Not;

Result with(double score, double low, double high, double p, double accuracy) {
  Result result = example_result();
  result.alpha_tcav["dagger"] = score;
  result.intervals["dagger"].interval = {low, high};
  result.significance.bonferroni = p;
  result.accuracy.held_out = accuracy;
  return result;
}

std::string words(const Result& result) { return sentence(result, 0.95, false); }

TEST(Sentence, OfAConceptThatIsUsed) {
  EXPECT_EQ(words(example_result()), "the model uses it for zebra; 0.91, 95\u00a0% interval 0.86–0.95.");
  EXPECT_EQ(sentence(example_result(), 0.9, true),
            "the model uses it for zebra at layer3; 0.91, 90\u00a0% interval 0.86–0.95.");
}

TEST(Sentence, OfOneThatCountsAgainst) {
  EXPECT_EQ(words(with(0.12, 0.08, 0.2, 0.001, 0.9)),
            "the model counts it against zebra; 0.12, 95\u00a0% interval 0.08–0.20.");
}

// Significant and small are two things, and both are said.
TEST(Sentence, OfASmallButRealEffect) {
  EXPECT_THAT(words(with(0.54, 0.52, 0.56, 0.01, 0.9)), HasSubstr("small but real push towards zebra; 0.54"));
  EXPECT_THAT(words(with(0.46, 0.44, 0.48, 0.01, 0.9)), HasSubstr("small but real push away from zebra"));
}

TEST(Sentence, WithoutEvidenceSaysWhatIsEncoded) {
  EXPECT_EQ(
      words(with(0.52, 0.45, 0.59, 0.4, 0.95)),
      "no evidence that the model uses it for zebra; 0.52, 95\u00a0% interval 0.45–0.59. The layer does "
      "encode it (held-out accuracy 0.95).");
  EXPECT_THAT(words(with(0.52, 0.45, 0.59, 0.4, 0.51)),
              HasSubstr("hardly encodes it: held-out accuracy 0.51, a coin has 0.50."));
}

// A large score without evidence is no evidence, and the sentence says what is missing.
TEST(Sentence, ExplainsALargeScoreWithoutEvidence) {
  EXPECT_THAT(words(with(0.8, 0.3, 1, 0.2, 0.9)), HasSubstr("wide: more examples could decide."));
  EXPECT_THAT(
      words(with(0.8, 0.7, 0.9, 0.2, 0.9)),
      HasSubstr("leaves out 0.50, but relabelled examples get as far too often (p = 0.200 corrected)"));
  EXPECT_THAT(words(with(0.52, 0.45, 0.59, 0.4, 0.95)), Not(HasSubstr("wide")));
}

TEST(Sentence, DoubtsADirectionThatIsHardlyEncoded) {
  EXPECT_THAT(words(with(0.9, 0.8, 1, 0.001, 0.52)), HasSubstr("direction is uncertain, read with care"));
}

TEST(Verdict, ChangesAtItsBounds) {
  EXPECT_EQ(verdict_of(with(0.75, 0.7, 0.8, 0.001, 0.6), 0.95).effect, Effect::kStrong);
  EXPECT_EQ(verdict_of(with(0.375, 0.3, 0.4, 0.001, 0.6), 0.95).effect, Effect::kModerate);
  EXPECT_EQ(verdict_of(with(0.55, 0.5, 0.6, 0.001, 0.6), 0.95).effect, Effect::kSmall);
  EXPECT_EQ(verdict_of(with(0.9, 0.8, 1, 0.06, 0.9), 0.95).use, Use::kNoEvidence);
  EXPECT_EQ(verdict_of(with(0.9, 0.8, 1, 0.06, 0.9), 0.9).use, Use::kFor);
  EXPECT_EQ(verdict_of(with(0.5, 0.5, 0.5, 0.001, 0.9), 0.95).use, Use::kNoEvidence);
  EXPECT_TRUE(verdict_of(with(0.9, 0.8, 1, 0.001, 0.6), 0.95).encoded);
  EXPECT_FALSE(verdict_of(with(0.9, 0.8, 1, 0.001, 0.59), 0.95).encoded);
  EXPECT_EQ(word(Use::kFor), "for");
}

TEST(Words, OfEffectAndP) {
  EXPECT_EQ(effect_words(example_result(), 0.95), "strong, +0.41");
  EXPECT_EQ(effect_words(with(0.35, 0.3, 0.4, 0.001, 0.9), 0.95), "moderate, −0.15");
  EXPECT_EQ(p_words(0.0009), "p < 0.001");
  EXPECT_EQ(p_words(0.0124), "p = 0.012");
  EXPECT_EQ(p_number(0.0009), "< 0.001");
  EXPECT_EQ(class_words("class"), "this class");
}

}  // namespace
}  // namespace atcav::report
