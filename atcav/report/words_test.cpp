#include "atcav/report/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atcav/report/testing_results.h"

namespace atcav::report {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;
using testing::HasSubstr;
using testing::Not;

Result with(double score, double low, double high, double p, double accuracy) {
  Result result = example_result();
  result.alpha_tcav["dagger"] = score;
  result.intervals["dagger"].interval = {low, high};
  result.examples->significance.bonferroni = p;
  result.examples->accuracy.held_out = accuracy;
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
              HasSubstr("barely encodes it: held-out accuracy 0.51, chance is 0.50."));
}

// A large score without evidence is no evidence, and the sentence says what is missing.
TEST(Sentence, ExplainsALargeScoreWithoutEvidence) {
  EXPECT_THAT(words(with(0.8, 0.3, 1, 0.2, 0.9)), HasSubstr("wide: more examples could decide."));
  EXPECT_THAT(words(with(0.8, 0.7, 0.9, 0.2, 0.9)),
              HasSubstr("leaves out 0.50, but relabelled examples often get as far (p = 0.200 corrected)"));
  EXPECT_THAT(words(with(0.52, 0.45, 0.59, 0.4, 0.95)), Not(HasSubstr("wide")));
}

TEST(Sentence, DoubtsADirectionThatIsBarelyEncoded) {
  EXPECT_THAT(words(with(0.9, 0.8, 1, 0.001, 0.52)), HasSubstr("direction is uncertain: read it with care"));
}

TEST(Sentence, OfAGivenDirectionSaysWhichWayAndHowSure) {
  Result given = example_given();
  EXPECT_EQ(sentence(given, 0.95, true),
            "along it the logit of zebra rises at layer3; 0.61, 95\u00a0% interval 0.55–0.67 over inputs.");
  given.intervals["1"].interval = {0.3, 0.5};
  EXPECT_EQ(verdict_of(given, 0.9).use, Use::kNoEvidence) << "½ is inside";
  EXPECT_EQ(sentence(given, 0.9, false),
            "no clear push towards or away from zebra; 0.61, 90\u00a0% interval 0.30–0.50 over inputs.");
  given.intervals["1"].interval = {0.3, 0.4};
  EXPECT_EQ(verdict_of(given, 0.9).use, Use::kAgainst);
  EXPECT_THAT(sentence(given, 0.9, false), HasSubstr("falls"));
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
  EXPECT_EQ(number_words(-0.8234), "−0.823");
}

TEST(Names, AppearOnceInOrder) {
  const std::vector<Result> results = {example_result("b", "l2"), example_result("a", "l2"),
                                       example_result("b", "l1")};
  EXPECT_THAT(concepts_of(results), ElementsAre("b", "a"));
  EXPECT_THAT(classes_of(results), ElementsAre("zebra"));
  EXPECT_THAT(layers_of(results), ElementsAre("l2", "l1"));
}

TEST(Names, AreListedAsInASentence) {
  EXPECT_EQ(listed({"a"}, 3, "classes"), "a");
  EXPECT_EQ(listed({"a", "b"}, 3, "classes"), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}, 3, "classes"), "a, b and c");
  EXPECT_EQ(listed({"a", "b", "c"}, 2, "classes"), "3 classes");
  EXPECT_EQ(counted(1, "concept", "concepts"), "1 concept");
  EXPECT_EQ(counted(2, "concept", "concepts"), "2 concepts");
}

TEST(WarningsOf, AreSaidOnceWithTheirResults) {
  std::vector<Result> results = {example_result("striped"), example_result("dotted")};
  EXPECT_TRUE(warnings_of(results).empty());
  results[0].warnings = {"few"};
  results[1].warnings = {"few", "saturated"};
  EXPECT_THAT(warnings_of(results), ElementsAre(FieldsAre("striped / zebra, dotted / zebra", "few"),
                                                FieldsAre("dotted / zebra", "saturated")));
  results[1].layer = "layer4";
  EXPECT_EQ(warnings_of(results)[1].places, "dotted / zebra @ layer4");
}

}  // namespace
}  // namespace atcav::report
