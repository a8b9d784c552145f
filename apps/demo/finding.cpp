#include "apps/demo/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace atcav::demo {
namespace {

constexpr double kSmallShare = 0.1;
constexpr double kClear = 0.25;
constexpr double kEncoded = 0.6;
constexpr double kSignificant = 0.05;

std::string_view word(int sign) {
  if (sign == 0) return "does not matter for";
  return sign > 0 ? "speaks for" : "speaks against";
}

int found_sign(const Result& result, double effect_share) {
  if (effect_share < kSmallShare || std::abs(result.empirical_bayes - 0.5) < kClear) return 0;
  return result.empirical_bayes > 0.5 ? 1 : -1;
}

std::string sentence(const Result& result, const DemoFinding& finding) {
  std::string text =
      fmt::format("{} {} {} ({}). Found: {}, effect {:+.2f}, posterior {:.2f}", result.concept_name,
                  word(finding.truth.sign), result.class_name, finding.truth.why,
                  finding.sign == finding.truth.sign ? "so it is" : "it " + std::string(word(finding.sign)),
                  result.magnitude, result.empirical_bayes);
  if (!finding.encoded) text += fmt::format("; not encoded, accuracy {:.2f}", result.accuracy.held_out);
  if (finding.sign == 0 && finding.significant) {
    text += fmt::format(
        "; significant (p = {:.2g}) but small, {:.0f} % of the largest effect on {}: a real "
        "sensitivity too slight to matter",
        result.significance.bonferroni, 100 * finding.effect_share, result.class_name);
  }
  return text + ".";
}

}  // namespace

std::vector<DemoFinding> demo_findings(const std::vector<Result>& results) {
  std::map<std::pair<std::string, std::string>, double> largest;
  for (const Result& result : results) {
    double& most = largest[{result.layer, result.class_name}];
    most = std::max(most, std::abs(result.magnitude));
  }
  std::vector<DemoFinding> findings;
  for (const Result& result : results) {
    DemoFinding finding;
    finding.truth = demo_truth(result.concept_name, result.class_name);
    finding.layer = result.layer;
    const double most = largest.at({result.layer, result.class_name});
    finding.effect_share = most > 0 ? std::abs(result.magnitude) / most : 0;
    finding.sign = found_sign(result, finding.effect_share);
    finding.encoded = result.accuracy.held_out >= kEncoded;
    finding.significant = result.significance.bonferroni < kSignificant;
    finding.agrees = finding.sign == finding.truth.sign && (finding.truth.encoded || !finding.encoded);
    finding.sentence = sentence(result, finding);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace atcav::demo
