#include "report/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testing_results.h"

namespace atcav::report {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;
using testing::HasSubstr;
using testing::Not;

// d with its interval, p corrected, and the lower end of the accuracy's interval. A logit is one unit of d.
Result with(double d, double low, double high, double p, double accuracy) {
  Result result = example_result();
  result.effect.d = result.effect.logits = d;
  result.effect.interval = result.effect.d_interval = {low, high};
  result.examples->significance.bonferroni = p;
  result.examples->accuracy.held_out = accuracy + 0.05;
  result.examples->accuracy.interval = result.examples->accuracy.auc_interval = {accuracy, accuracy + 0.1};
  return result;
}

std::string words(const Result& result) { return sentence(result, 0.95, false); }

TEST(Sentence, OfAConceptThatIsUsed) {
  EXPECT_EQ(words(example_result()), "the model uses it for zebra: +1.57 (+0.93 to +2.21) logits.");
  EXPECT_EQ(sentence(example_result(), 0.9, true),
            "the model uses it for zebra at layer3: +1.57 (+0.93 to +2.21) logits.");
}

TEST(Sentence, OfOneThatCountsAgainst) {
  EXPECT_EQ(words(with(-1.2, -2, -0.4, 0.001, 0.9)),
            "the model counts it against zebra: −1.20 (−2.00 to −0.40) logits.");
}

// Significant and small are two things, and both are said.
TEST(Sentence, OfASmallButRealEffect) {
  EXPECT_THAT(words(with(0.1, 0.05, 0.15, 0.01, 0.9)), HasSubstr("small but real push towards zebra: +0.10"));
  EXPECT_THAT(words(with(-0.1, -0.15, -0.05, 0.01, 0.9)), HasSubstr("small but real push away from zebra"));
}

TEST(Sentence, WithoutEvidenceSaysWhatIsEncoded) {
  EXPECT_EQ(
      words(with(0.1, -0.4, 0.6, 0.4, 0.85)),
      "no evidence that the model uses it for zebra: +0.10 (−0.40 to +0.60) logits. The layer does encode "
      "it (held-out accuracy 0.90, 0.85–0.95).");
  EXPECT_THAT(words(with(0.1, -0.4, 0.6, 0.4, 0.48)),
              HasSubstr("not shown to encode it: held-out accuracy 0.53, 0.48–0.58, chance is 0.50."));
}

// A large effect without evidence is no evidence, and the sentence says what is missing.
TEST(Sentence, ExplainsALargeEffectWithoutEvidence) {
  EXPECT_THAT(words(with(1.5, -0.5, 3.5, 0.2, 0.9)),
              HasSubstr("wide: more examples or inputs could decide."));
  EXPECT_THAT(
      words(with(1.5, 0.1, 2.9, 0.2, 0.9)),
      HasSubstr("leaves out 0, but among so many tests that happens by chance (p = 0.200 corrected)"));
  EXPECT_THAT(words(with(0.1, -0.4, 0.6, 0.4, 0.9)), Not(HasSubstr("wide")));
}

TEST(Sentence, DoubtsADirectionThatIsNotEncoded) {
  EXPECT_THAT(words(with(1, 0.5, 1.5, 0.001, 0.45)), HasSubstr("direction is uncertain: read it with care"));
}

TEST(Sentence, OfAGivenDirectionSaysWhichWayAndHowSure) {
  Result given = example_given();
  given.effect.interval = {0.3, 1.7};
  given.given->bonferroni = 0.01;
  EXPECT_EQ(
      sentence(given, 0.95, true),
      "along it the logit of zebra rises at layer3: +1.02 (+0.30 to +1.70) logits over inputs like these.");
  given.given->bonferroni = 0.2;
  EXPECT_THAT(sentence(given, 0.95, false),
              HasSubstr("among so many tests that happens by chance (p = 0.200"));
  given.effect.interval = {-0.3, 2.3};
  EXPECT_EQ(verdict_of(given, 0.9).use, Use::kNoEvidence) << "0 is inside";
  EXPECT_THAT(sentence(given, 0.9, false), HasSubstr("no clear push towards or away from zebra: +1.02"));
  given.effect.logits = -1;
  given.effect.interval = {-2, -0.1};
  given.given->bonferroni = 0.03;
  EXPECT_EQ(verdict_of(given, 0.9).use, Use::kAgainst);
  EXPECT_THAT(sentence(given, 0.9, false), HasSubstr("falls"));
}

TEST(Specificity, NamesTheRankAmongAllClasses) {
  Result result = example_result();
  EXPECT_EQ(specificity(result), "");
  Intervention& found = result.intervention.emplace();
  found.classes = 1000;
  EXPECT_EQ(specificity(result), "") << "nothing was added to random inputs";
  DoseResponse& random = found.random.emplace();
  random.odd = {0.4, 2, 3.94};
  random.low = {0.2, 1, 3};
  random.high = {0.6, 3, 5};
  random.bonferroni = {0.02, 0.02, 0.02};
  random.rank = {1, 1, 1};
  EXPECT_EQ(
      specificity(result),
      "Adding striped to random inputs raises zebra by 3.9 logits, more than any other of 1000 classes.");
  found.random->rank.back() = 104;
  EXPECT_THAT(specificity(result), HasSubstr("logits: rank 104 of 1000 classes."));
  found.random->low.back() = -1;
  EXPECT_EQ(specificity(result),
            "Adding striped to random inputs does not clearly move zebra: +3.94 (−1.00 to +5.00) logits.");
  found.random->odd.back() = -2;
  found.random->low.back() = -3;
  found.random->high.back() = -1;
  found.random->rank.back() = 1000;
  EXPECT_THAT(specificity(result), HasSubstr("lowers zebra by 2 logits, further than any other"));
}

// Where examples hardly differ from random ones, the share is noise over nothing: no figure is shown.
TEST(ErasureWords, GiveAShareThatMeansSomething) {
  Result result = example_result();
  result.erasure = Erasure{};
  result.erasure->share.mean = 0.17;
  EXPECT_THAT(erasure_words(result), HasSubstr("they have 17 % of what its examples have"));
  result.erasure->share.mean = -0.15;
  EXPECT_THAT(erasure_words(result), HasSubstr("they have −15 % of what"));
  result.erasure->share.mean = -0.004;
  EXPECT_THAT(erasure_words(result), HasSubstr("they have 0 % of what"));
  result.erasure->share.mean = -14.32;
  EXPECT_THAT(erasure_words(result), HasSubstr("differ too little from random ones to say"));
  EXPECT_THAT(erasure_words(result), Not(HasSubstr("1432")));
}

TEST(Verdict, ChangesAtItsBounds) {
  const auto size = [](double d, double low, double high) {
    return verdict_of(with(d, low, high, 0.001, 0.6), 0.95).size;
  };
  EXPECT_EQ(size(0.8, 0.1, 1.5), Size::kStrong);
  EXPECT_EQ(size(-0.79, -1, -0.1), Size::kModerate);
  EXPECT_EQ(size(0.19, 0.1, 0.3), Size::kSmall);
  EXPECT_EQ(size(3, -0.1, 6.1), Size::kNotShown) << "nothing is an effect while its interval holds 0";
  EXPECT_EQ(verdict_of(with(1, 0.5, 1.5, 0.06, 0.9), 0.95).use, Use::kNoEvidence);
  EXPECT_EQ(verdict_of(with(1, 0.5, 1.5, 0.06, 0.9), 0.9).use, Use::kFor);
  EXPECT_EQ(verdict_of(with(0, 0, 0, 0.001, 0.9), 0.95).use, Use::kNoEvidence);
  EXPECT_TRUE(verdict_of(with(1, 0.5, 1.5, 0.001, 0.51), 0.95).encoded);
  EXPECT_FALSE(verdict_of(with(1, 0.5, 1.5, 0.001, 0.5), 0.95).encoded);
  Result spread = with(1, 0.5, 1.5, 0.001, 0.65);
  spread.examples->accuracy.auc = 0.54;
  spread.examples->accuracy.auc_interval = {0.48, 0.6};
  EXPECT_FALSE(verdict_of(spread, 0.95).encoded);
  EXPECT_THAT(sentence(spread, 0.95, false),
              HasSubstr("not shown to encode it: held-out AUC 0.54, 0.48–0.60"));
  EXPECT_EQ(word(Use::kFor), "for");
}

TEST(Words, OfEffectAndP) {
  EXPECT_EQ(effect_words(example_result(), 0.95), "strong, d = +1.40 (+0.80 to +2.00)");
  EXPECT_EQ(effect_words(with(-0.5, -1.2, 0.2, 0.2, 0.9), 0.95), "not shown, d = −0.50 (−1.20 to +0.20)");
  EXPECT_EQ(p_words(0.0009), "p < 0.001");
  EXPECT_EQ(p_words(0.0124), "p = 0.012");
  EXPECT_EQ(p_number(0.0009), "< 0.001");
  EXPECT_EQ(class_words("class"), "this class");
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

TEST(POfRelabelling, SaysWhereItCanBeNoSmaller) {
  EXPECT_EQ(p_of_relabelling(0.001, 999), "≤ 0.001");
  EXPECT_EQ(p_of_relabelling(0.005, 199), "≤ 0.005");
  EXPECT_EQ(p_of_relabelling(0.002, 999), "0.002");
}

std::vector<Result> warned(const std::vector<std::string>& concepts, const std::vector<std::string>& layers) {
  std::vector<Result> results;
  for (const std::string& layer : layers) {
    for (const std::string& name : concepts) {
      results.push_back(example_result(name, layer));
      results.back().warnings = {"saturated: all 60 inputs"};
    }
  }
  return results;
}

TEST(WarningGroups, NamesUpToThreeResultsAndCountsMore) {
  std::vector<WarningGroup> groups = warning_groups(warned({"striped", "dotted"}, {"layer3"}));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].places, "striped / zebra, dotted / zebra");
  EXPECT_EQ(groups[0].text, "saturated: all 60 inputs");
  groups = warning_groups(warned({"a", "b", "c", "d"}, {"layer3", "layer4"}));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].places, "8 results (4 concepts; zebra; layer3 and layer4)");
  EXPECT_EQ(groups[0].first, "a / zebra @ layer3");
}

TEST(WarningGroups, WordsThatDifferStayApartAndNumbersDoNot) {
  std::vector<Result> results = warned({"a", "b", "c"}, {"layer3"});
  results[1].warnings = {"saturated: none of the 60 inputs", "few examples"};
  results[2].warnings = {"saturated: all 5.25 inputs"};
  const std::vector<WarningGroup> groups = warning_groups(results);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].places, "a / zebra, c / zebra");
  EXPECT_FALSE(groups[0].equal);
  EXPECT_TRUE(groups[1].equal);
  EXPECT_EQ(groups[2].text, "few examples");
  EXPECT_TRUE(warning_groups({}).empty());
}

}  // namespace
}  // namespace atcav::report
