#include "report/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "pipeline/plain_words.h"
#include "pipeline/verdict.h"

namespace atcav::report {
namespace {

// What is left of a label's effect when the others are held fixed.
std::string joint_words(const Result& result, double level) {
  if (!result.joint || result.joint->inflation == 1) return "";
  const JointEffect& joint = *result.joint;
  const bool used = joint.bonferroni < 1 - level && joint.effect.logits != 0;
  return fmt::format(" With the other labels held fixed{}: {} logits ({} corrected).",
                     used ? "" : ", no evidence", signed_words(joint.effect.logits, joint.effect.interval),
                     p_words(joint.bonferroni));
}

std::string encoding(const Accuracy& accuracy, const Verdict& verdict) {
  const bool used = verdict.use != Use::kNoEvidence;
  const auto [name, value, interval] = accuracy.deciding();
  const std::string numbers = fmt::format("held-out {} {:.2f}, {}", name, value, interval_words(interval));
  if (verdict.encoded) return used ? "" : fmt::format(" The layer does encode it ({}).", numbers);
  return fmt::format(" The layer is not shown to encode it: {}, chance is 0.50.{}", numbers,
                     used ? " So its direction is uncertain: read it with care." : "");
}

const Result& one_of(const Result& result) { return result; }
const Result& one_of(const Result* result) { return *result; }

std::vector<std::string> distinct(const auto& results, std::string Result::*field) {
  std::vector<std::string> names;
  std::unordered_set<std::string> known;
  for (const auto& result : results) {
    if (known.insert(one_of(result).*field).second) names.push_back(one_of(result).*field);
  }
  return names;
}

constexpr std::size_t kNamed = 3;

// Without digits, signs and points: what is left is the same for all numbers.
std::string words_of(const std::string& text) {
  std::string words;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 && c != '+' && c != '-' && c != '.') words += c;
  }
  return words;
}

struct SameWarning {
  std::string text;   // of the first
  bool equal = true;  // to all others, numbers too
  std::vector<const Result*> results;
};

// Warnings for which key(text) is the same, in order of first appearance.
template <typename Key>
std::vector<SameWarning> same_warnings(const std::vector<Result>& results, Key key) {
  std::vector<SameWarning> list;
  std::unordered_map<std::string, std::size_t> known;
  for (const Result& result : results) {
    for (const std::string& text : result.warnings) {
      const auto [entry, added] = known.try_emplace(key(text), list.size());
      if (added) list.push_back({text, true, {}});
      SameWarning& same = list[entry->second];
      same.equal = same.equal && text == same.text;
      same.results.push_back(&result);
    }
  }
  return list;
}

std::vector<std::string> places_of(const std::vector<const Result*>& results, bool layer) {
  std::vector<std::string> places;
  for (const Result* result : results) {
    places.push_back(result->concept_name + " / " + result->class_name);
    if (layer) places.back() += " @ " + result->layer;
  }
  return places;
}

}  // namespace

std::string_view word(Use use) {
  return use == Use::kFor ? "for" : use == Use::kAgainst ? "against" : "none";
}

Verdict verdict_of(const Result& result, double level) {
  Verdict verdict;
  const stats::Effect& effect = result.effect;
  const auto leaves_out_zero = [](const stats::Interval& i) { return i.low > 0 || i.high < 0; };
  verdict.use = judge(result, level).use;
  if (!result.examples) return verdict;
  verdict.encoded = !result.label && result.examples->accuracy.encoded();
  if (effect.d && leaves_out_zero(effect.d_interval)) {
    const double size = std::abs(*effect.d);
    verdict.size = size >= stats::kStrongEffect     ? Size::kStrong
                   : size >= stats::kModerateEffect ? Size::kModerate
                                                    : Size::kSmall;
  }
  return verdict;
}

std::string sentence(const Result& result, double level, bool layer) {
  std::string text = verdict_text(result, judge(result, level), layer);
  if (!result.examples) return text;
  if (result.label) return text + joint_words(result, level);
  return text + encoding(result.examples->accuracy, verdict_of(result, level));
}

std::string specificity(const Result& result) {
  if (!result.intervention || !result.intervention->random) return "";
  const DoseResponse& response = *result.intervention->random;
  const Index classes = result.intervention->classes;
  const Index rank = response.rank.back();
  const double odd = response.odd.back();
  if (response.low.back() <= 0 && response.high.back() >= 0) {
    return fmt::format("Adding {} to random inputs does not clearly move {}: {} logits.", result.concept_name,
                       class_words(result.class_name),
                       signed_words(odd, {response.low.back(), response.high.back()}));
  }
  const std::string start =
      fmt::format("Adding {} to random inputs {} {} by {:.2g} logits", result.concept_name,
                  odd < 0 ? "lowers" : "raises", class_words(result.class_name), std::abs(odd));
  if (classes == 1) return start + ".";
  if (rank == 1) return fmt::format("{}, more than any other of {} classes.", start, classes);
  if (rank == classes) return fmt::format("{}, further than any other of {} classes.", start, classes);
  return fmt::format("{}: rank {} of {} classes.", start, rank, classes);
}

std::string erasure_words(const Result& result) {
  if (!result.erasure) return "";
  const Erasure& found = *result.erasure;
  std::string text =
      fmt::format("{} logits at {} inputs", signed_words(found.change, found.interval), found.inputs);
  if (found.top1_before) {
    text += fmt::format("; rank {} of those that fall; on top for {:.0f} % instead of {:.0f} %", found.rank,
                        100 * *found.top1_after, 100 * *found.top1_before);
  }
  text +=
      share_tells(found)
          ? fmt::format("; they have {} % of what its examples have", plain_number(100 * found.share.mean, 0))
          : "; its examples differ too little from random ones to say what share of it they have";
  if (found.control)
    text += fmt::format("; random halves instead: {} ± {:.2f}", signed_number(found.control->mean),
                        found.control->sd);
  return text;
}

std::string real_words(const Result& result) {
  if (!result.logits) return "";
  const LogitDifference& found = *result.logits;
  return fmt::format("{} {} logits against random ones ({} and {} examples)",
                     signed_words(found.difference, found.interval), class_words(result.class_name),
                     found.n_concept, found.n_random);
}

std::string negatives_words(const Result& result) {
  if (!result.negatives || result.negatives->line.empty()) return "";
  const stats::Negatives& found = *result.negatives;
  constexpr double kAllReplaced = 2;  // χ² of second copies in place of all rows
  std::string text = "no reweighting of the random examples makes the interval hold 0";
  if (found.chi2) {
    text = fmt::format("the interval would hold 0 with the random examples reweighted by χ² = {:.2g}",
                       *found.chi2);
    if (*found.chi2 < kAllReplaced)
      text += fmt::format(" (replacing fewer than about {:.0f} % of them by copies of others cannot do that)",
                          100 * *found.chi2 / kAllReplaced);
  }
  for (const stats::Stratum& one : found.strata) {
    if (one.interval.low <= 0 && one.interval.high >= 0)
      text += fmt::format("; without {} it holds 0", one.name);
  }
  return text;
}

std::string effect_words(const Result& result, double level) {
  if (!result.examples) return signed_words(result.effect.logits, result.effect.interval) + " logits";
  if (!result.effect.d) return "d is undefined, because random examples do not move the logit";
  const Size size = verdict_of(result, level).size;
  const char* name = size == Size::kStrong     ? "strong"
                     : size == Size::kModerate ? "moderate"
                     : size == Size::kSmall    ? "small"
                                               : "not shown";
  return fmt::format("{}, d = {}", name, signed_words(result.effect.d, result.effect.d_interval));
}

std::string signed_number(std::optional<double> value) { return atcav::signed_number(value); }

std::string signed_words(std::optional<double> value, const stats::Interval& interval) {
  return atcav::signed_words(value, interval);
}

std::string p_number(double p) { return atcav::p_number(p); }

std::string p_of_relabelling(double p, Index permutations) {
  const double floor = 1 / static_cast<double>(permutations + 1);
  return permutations > 0 && p <= 1.000001 * floor ? fmt::format("≤ {:.3g}", floor) : p_number(p);
}

std::string p_words(double p) { return atcav::p_words(p); }

std::string interval_words(const stats::Interval& interval) {
  return fmt::format("{:.2f}–{:.2f}", interval.low, interval.high);
}

std::string percent(double share) { return fmt::format("{:g}\u00a0%", 100 * share); }

std::string class_words(const std::string& class_name) { return atcav::class_words(class_name); }

std::vector<std::string> concepts_of(const std::vector<Result>& results) {
  return distinct(results, &Result::concept_name);
}
std::vector<std::string> classes_of(const std::vector<Result>& results) {
  return distinct(results, &Result::class_name);
}
std::vector<std::string> layers_of(const std::vector<Result>& results) {
  return distinct(results, &Result::layer);
}

bool have_examples(const std::vector<Result>& results) {
  return !results.empty() && results.front().examples.has_value();
}

std::string listed(const std::vector<std::string>& names, std::size_t most, const std::string& plural) {
  if (names.size() > most) return fmt::format("{} {}", names.size(), plural);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string counted(std::size_t count, const std::string& singular, const std::string& plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::vector<Warning> warnings_of(const std::vector<Result>& results) {
  const bool layer = layers_of(results).size() > 1;
  std::vector<Warning> list;
  for (const SameWarning& same : same_warnings(results, std::identity()))
    list.push_back({fmt::format("{}", fmt::join(places_of(same.results, layer), ", ")), same.text});
  return list;
}

std::vector<std::string> network_lines(const std::vector<Result>& results) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  };
  for (const Result& result : results) {
    if (!result.tensor.empty() && result.tensor != result.layer)
      add(fmt::format("{} is the tensor '{}'", result.layer, result.tensor));
  }
  for (const Result& result : results) {
    if (result.top_share)
      add(fmt::format("{} has the largest logit for {:.0f} % of its {} inputs", result.class_name,
                      100 * *result.top_share, result.n_class));
  }
  return lines;
}

std::vector<WarningGroup> warning_groups(const std::vector<Result>& results) {
  const bool layer = layers_of(results).size() > 1;
  std::vector<WarningGroup> groups;
  for (const SameWarning& same : same_warnings(results, words_of)) {
    const std::vector<std::string> places = places_of(same.results, layer);
    std::string shown = fmt::format("{}", fmt::join(places, ", "));
    if (places.size() > kNamed) {
      std::vector<std::string> parts = {
          listed(distinct(same.results, &Result::concept_name), kNamed, "concepts"),
          listed(distinct(same.results, &Result::class_name), kNamed, "classes")};
      if (layer) parts.push_back(listed(distinct(same.results, &Result::layer), kNamed, "layers"));
      shown = fmt::format("{} results ({})", places.size(), fmt::join(parts, "; "));
    }
    groups.push_back({same.text, same.equal, shown, places.front()});
  }
  return groups;
}

}  // namespace atcav::report
