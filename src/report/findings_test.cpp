#include "report/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testing_results.h"

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Result at(const std::string& layer, double d, double p) {
  Result result = example_result("striped", layer);
  result.effect.d = result.effect.logits = d;
  result.examples->significance.bonferroni = p;
  return result;
}

TEST(Strongest, IsSignificantBeforeItIsFar) {
  const Result unproven = at("layer1", 5, 0.3);
  const Result weak = at("layer2", 0.3, 0.01);
  const Result against = at("layer3", -2, 0.01);
  EXPECT_EQ(strongest({&unproven, &weak, &against}, 0.95).layer, "layer3");
  EXPECT_EQ(strongest({&weak, &unproven}, 0.95).layer, "layer2");
  const Result also = at("layer4", 0.1, 0.3);
  EXPECT_EQ(strongest({&unproven, &also}, 0.95).layer, "layer4");
}

TEST(Findings, SayEffectTestAndEncodingApart) {
  const std::string html = findings_html({example_result()}, 0.95);
  EXPECT_THAT(
      html,
      HasSubstr("<strong>striped:</strong> the model uses it for zebra: +1.57 (+0.93 to +2.21) logits."));
  EXPECT_THAT(html, HasSubstr("<dt>Effect</dt><dd>strong, d = +1.40 (+0.80 to +2.00)</dd>"));
  EXPECT_THAT(html, HasSubstr("<dt>Test of use</dt><dd>p = 0.001</dd>"));
  EXPECT_THAT(html, HasSubstr("<dt>Encoded</dt><dd>yes, accuracy 0.97 (0.90–0.99)</dd>"));
  EXPECT_THAT(html, HasSubstr("class=\"finding for\""));
  EXPECT_THAT(html, Not(HasSubstr("<h3>")));
  EXPECT_THAT(html, Not(HasSubstr("class=\"layers\"")));
}

TEST(Findings, SayWhatAddingDoesWhateverTheTestOfUseSays) {
  Result result = example_result();
  Intervention& found = result.intervention.emplace();
  found.classes = 10;
  DoseResponse& random = found.random.emplace();
  random.odd = {0.4, 2, 3.94};
  random.low = {0.2, 1, 3};
  random.high = {0.6, 3, 5};
  random.bonferroni = {0.02, 0.02, 0.02};
  random.rank = {1, 1, 1};
  EXPECT_THAT(findings_html({result}, 0.95), HasSubstr("<dt>Particular</dt>"));
  result.examples->significance.bonferroni = 0.4;
  EXPECT_THAT(findings_html({result}, 0.95), HasSubstr("<dt>Particular</dt>"));
  EXPECT_THAT(findings_html({result}, 0.95), HasSubstr("adding striped raises zebra by 3.9 logits"));
}

TEST(Findings, OfGivenDirectionsSayTheEffectAlone) {
  const std::string html = findings_html({example_given("striped", "layer2"), example_given()}, 0.95);
  EXPECT_THAT(html, HasSubstr("no clear push towards or away from zebra at layer3: +1.02 (−0.44 to +2.49)"));
  EXPECT_THAT(html, HasSubstr("<dd>+1.02 (−0.44 to +2.49) logits</dd></div></dl><ul class=\"layers\""));
  EXPECT_THAT(html, Not(HasSubstr("Test of use")));
}

TEST(Findings, OfAnUndefinedDLeadAndSaySo) {
  const Result silent = example_undefined("striped");
  Result other = example_result("striped", "layer2");
  other.effect.d = 50;
  const std::string html = findings_html({silent, other}, 0.95);
  EXPECT_THAT(html, HasSubstr("the model uses it for zebra at layer3: +1.57 (+0.93 to +2.21) logits."));
  EXPECT_THAT(html, HasSubstr("<dd>d is undefined, because random examples do not move the logit</dd>"));
  EXPECT_THAT(html, HasSubstr("<b>undefined</b>"));
  EXPECT_THAT(html, Not(HasSubstr("unsure")));
  EXPECT_EQ(gauge_html(silent, 2), "");
  EXPECT_EQ(gauge_reach({silent, other}), 75);
  EXPECT_THAT(score_table_html({silent, other}, 0.95), HasSubstr(">undefined <small></small></td>"));
}

TEST(Gauge, CarriesItsNumbersAndIsHiddenFromReaders) {
  const std::string html = gauge_html(example_result(), 2);
  EXPECT_THAT(html, HasSubstr("--at:0.8500;--low:0.7000;--high:1.0000"));
  EXPECT_EQ(gauge_reach({example_result()}), 1.5 * 1.4);
  EXPECT_THAT(html, HasSubstr("aria-hidden=\"true\""));
}

TEST(Findings, GroupClassesAndLayers) {
  Result horse = example_result();
  horse.class_name = "<horse>";
  const std::string html = findings_html({at("layer1", 0.6, 0.3), at("layer2", 0.9, 0.01), horse}, 0.95);
  EXPECT_THAT(html, HasSubstr("<h3>&lt;horse&gt;</h3>"));
  EXPECT_THAT(html, HasSubstr("for zebra at layer2: +0.90"));
  EXPECT_THAT(html,
              HasSubstr("<li class=\"none\">layer1 <b>+0.60</b></li><li class=\"for\">layer2 <b>+0.90</b>"));
  EXPECT_THAT(html, HasSubstr("over 3 tests"));
}

TEST(Findings, AreMutedWhereTheIntervalHoldsZero) {
  Result result = example_result();
  EXPECT_THAT(findings_html({result}, 0.95), Not(HasSubstr("unsure")));
  EXPECT_THAT(gauge_html(result, 2), Not(HasSubstr("hollow")));
  result.effect.d_interval = {-0.1, 2.9};
  EXPECT_THAT(findings_html({result}, 0.95), HasSubstr("class=\"finding for unsure\""));
  EXPECT_THAT(gauge_html(result, 2), HasSubstr("gauge hollow"));
}

TEST(Findings, NameTheConceptsThatCannotBeToldApart) {
  Entanglement entanglement{"layer3", {"striped", "dotted", "zigzagged"}, Matrix::Identity(3, 3)};
  entanglement.cosines(0, 1) = 0.59;
  entanglement.cosines(0, 2) = 0.62;
  const std::string html = findings_html({example_result()}, 0.95, {entanglement});
  EXPECT_THAT(html, HasSubstr("<dt>Entangled</dt><dd>with zigzagged (cosine 0.62): what"));
  entanglement.layer = "layer2";
  EXPECT_THAT(findings_html({example_result()}, 0.95, {entanglement}), Not(HasSubstr("Entangled")));
}

TEST(Findings, SayWhatIsTrueWhereThatIsKnown) {
  Result result = example_result();
  EXPECT_THAT(findings_html({result}, 0.95), Not(HasSubstr("truth")));
  result.truth = "zebras are <striped>";
  EXPECT_THAT(findings_html({result}, 0.95),
              HasSubstr("<p class=\"truth\">True: zebras are &lt;striped&gt;</p>"));
}

}  // namespace
}  // namespace atcav::report
