#include "apps/demo/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.h"
#include "report/words.h"

namespace atcav::demo {
namespace {

constexpr double kSignificant = 0.05;

std::string_view word(int sign) {
  if (sign == 0) return "does not matter for";
  return sign > 0 ? "speaks for" : "speaks against";
}

std::string sentence_of_label(const Result& result, const Finding& finding) {
  const stats::Effect& alone = result.effect;
  const stats::Effect& joint = result.joint->effect;
  return fmt::format(
      "{} {} {} ({}). Found: with the other label held fixed {}, d {}; one by one d {}.", result.concept_name,
      word(finding.truth.sign), result.class_name, finding.truth.why,
      finding.sign == finding.truth.sign ? "the same" : "it " + std::string(word(finding.sign)),
      report::signed_words(joint.d, joint.d_interval), report::signed_words(alone.d, alone.d_interval));
}

Finding finding_of_label(const Result& result) {
  Finding finding{.truth = truth_of_label(result.concept_name, parse_set(result.class_name)),
                  .layer = result.layer};
  const JointEffect& joint = *result.joint;
  finding.encoded = joint.encoding && joint.encoding->encoded();
  finding.significant = joint.bonferroni < kSignificant;
  if (finding.significant && std::abs(joint.effect.d.value_or(HUGE_VAL)) >= stats::kModerateEffect)
    finding.sign = joint.effect.logits > 0 ? 1 : -1;
  finding.agrees = finding.sign == finding.truth.sign && (finding.truth.encoded || !finding.encoded);
  finding.sentence = sentence_of_label(result, finding);
  return finding;
}

std::string sentence(const Result& result, const Finding& finding) {
  const stats::Effect& effect = result.effect;
  std::string text =
      fmt::format("{} {} {} ({}). Found: {}, d {}", result.concept_name, word(finding.truth.sign),
                  result.class_name, finding.truth.why,
                  finding.sign == finding.truth.sign ? "the same" : "it " + std::string(word(finding.sign)),
                  report::signed_words(effect.d, effect.d_interval));
  if (!finding.encoded) {
    const auto [name, value, interval] = result.examples->accuracy.deciding();
    text += fmt::format("; not shown to be encoded, {} {:.2f}", name, value);
  }
  if (finding.sign == 0 && finding.significant) {
    text += fmt::format(
        "; more than chance (test of use, p = {:.2g}) but small: a real sensitivity too slight "
        "to matter",
        result.examples->significance.bonferroni);
  }
  return text + ".";
}

}  // namespace

Truth truth(Set concept_set, Set class_set) {
  using enum Set;
  if (std::ranges::count(kConcepts, concept_set) + std::ranges::count(kClasses, class_set) < 2) {
    fail_argument("truth", fmt::format("\"{}\" and \"{}\" are not a concept and a class of the demo",
                                       name(concept_set), name(class_set)));
  }
  const auto is = [&](Set a, Set b) { return concept_set == a && class_set == b; };
  if (concept_set == kRed) return {0, false, "the first layer takes the mean of the colour channels"};
  if (concept_set == kLeft) return {0, true, "every class was shown at every position equally often"};
  if (is(kStriped, kZebra)) return {1, true, "zebras are the striped animals"};
  if (is(kDotted, kLeopard)) return {1, true, "leopards are the dotted animals"};
  if (is(kStriped, kLeopard)) return {-1, true, "dotted animals with stripes are not leopards"};
  if (is(kDotted, kZebra)) return {-1, true, "striped animals with dots are not zebras"};
  return {-1, true, "horses are the animals without a texture"};
}

Truth truth_of_label(const std::string& label, Set class_set) {
  if (label == "stripes") return truth(Set::kStriped, class_set);
  if (label != "reddish") fail_argument("truth", fmt::format("\"{}\" is not a label of the demo", label));
  return {0, false, "it goes with stripes, but the first layer takes the mean of the colour channels"};
}

std::vector<Finding> findings(const std::vector<Result>& results) {
  std::vector<Finding> found;
  for (const Result& result : results) {
    if (!result.examples) fail_argument("findings", result.concept_name + " is a given direction");
    if (result.label && result.joint) {
      found.push_back(finding_of_label(result));
      continue;
    }
    const FromExamples& examples = *result.examples;
    Finding finding{.truth = truth(parse_set(result.concept_name), parse_set(result.class_name)),
                    .layer = result.layer};
    finding.encoded = examples.accuracy.encoded();
    finding.significant = examples.significance.bonferroni < kSignificant;
    if (finding.significant && std::abs(result.signed_size()) >= stats::kModerateEffect)
      finding.sign = result.effect.logits > 0 ? 1 : -1;
    finding.agrees = finding.sign == finding.truth.sign && (finding.truth.encoded || !finding.encoded);
    // What the network does when the concept is added and taken away.
    if (result.intervention) {
      const Use use = result.verdict.use;
      finding.agrees = finding.agrees && finding.truth.sign == (use == Use::kFor) - (use == Use::kAgainst);
    }
    finding.sentence = sentence(result, finding);
    found.push_back(std::move(finding));
  }
  return found;
}

void add_truths(std::vector<Result>& results) {
  const std::vector<Finding> found = findings(results);
  for (std::size_t i = 0; i < results.size(); ++i) results[i].truth = found[i].sentence;
}

}  // namespace atcav::demo
