#include "pipeline/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "pipeline/plain_words.h"

namespace atcav {
namespace {

constexpr std::string_view kFirstOrder = "first order";
constexpr std::string_view kAdding = "adding";
constexpr std::string_view kTakingAway = "taking away";
constexpr std::string_view kRealDifference = "real difference";
// An interval of d this long holds both a strong effect and none.
constexpr double kWide = 2 * stats::kStrongEffect;

bool leaves_out_zero(const stats::Interval& i) { return i.low > 0 || i.high < 0; }

Use side(double value) { return value > 0 ? Use::kFor : value < 0 ? Use::kAgainst : Use::kNoEvidence; }
Use opposite(Use use) { return use == Use::kFor ? Use::kAgainst : use == Use::kAgainst ? Use::kFor : use; }
bool speaks(Use use) { return use != Use::kNoEvidence; }
bool contradict(Use a, Use b) { return speaks(a) && speaks(b) && a != b; }

std::string size_of(double logits) {
  const double size = std::abs(logits);
  return size < 0.95 ? fmt::format("{:.2f}", size) : fmt::format("{:.1f}", size);
}

std::string rank_words(Index rank, Index classes, bool raises) {
  if (classes == 1) return "";
  if (raises && rank == 1) return fmt::format(", more than any other of {} classes", classes);
  if (!raises && rank == classes) return fmt::format(", further than any other of {} classes", classes);
  return fmt::format(" (rank {} of {} classes)", raises ? rank : classes + 1 - rank, classes);
}

// Why a line does not speak: its interval, or what correction made of its p.
std::string unclear(double value, const stats::Interval& interval, double corrected) {
  if (leaves_out_zero(interval))
    return fmt::format("{}, {} among so many tests", signed_number(value), p_words(corrected));
  if (!std::isfinite(interval.low)) return signed_number(value);
  return fmt::format("{}, interval {} to {}", signed_number(value), signed_number(interval.low),
                     signed_number(interval.high));
}

EvidenceLine first_order(const Result& result, double level) {
  const stats::Effect& effect = result.effect;
  EvidenceLine line{std::string(kFirstOrder), effect.logits, effect.interval, Use::kNoEvidence, {}};
  if (result.corrected_p() < 1 - level) line.says = side(effect.logits);
  const std::string of_class = class_words(result.class_name);
  const std::string start = fmt::format("Gradients at {} inputs", of_class);
  if (speaks(line.says)) {
    line.text =
        fmt::format("{} point {} {} ({} logits)", start, line.says == Use::kFor ? "towards" : "away from",
                    of_class, signed_number(effect.logits));
  } else {
    line.text = fmt::format("{} show little ({})", start,
                            leaves_out_zero(effect.interval)
                                ? unclear(effect.logits, effect.interval, result.corrected_p())
                                : signed_number(effect.logits) + ", interval holds 0");
  }
  return line;
}

std::optional<EvidenceLine> adding(const Result& result, double level) {
  if (!result.intervention) return std::nullopt;
  const Intervention& found = *result.intervention;
  const DoseResponse& on = found.random ? *found.random : found.of_class;
  const double odd = on.odd.back();
  EvidenceLine line{std::string(kAdding), odd, {on.low.back(), on.high.back()}, Use::kNoEvidence, {}};
  if (on.bonferroni.back() < 1 - level) line.says = side(odd);
  const std::string of_class = class_words(result.class_name);
  const std::string what = fmt::format("adding {}{}", result.concept_name,
                                       found.random ? "" : fmt::format(" to {} inputs", of_class));
  line.text = speaks(line.says)
                  ? fmt::format("{} {} {} by {} logits{}", what, odd > 0 ? "raises" : "lowers", of_class,
                                size_of(odd), rank_words(on.rank.back(), found.classes, odd > 0))
                  : fmt::format("{} does not clearly move {} ({})", what, of_class,
                                unclear(odd, line.interval, on.bonferroni.back()));
  return line;
}

// Erasing then gives these inputs some of the concept. Shares around 0 are noise and say nothing of that
// kind.
bool has_less_than_random(const Erasure& found) {
  return share_tells(found) &&
         found.share.mean < -2 * found.share.sd / std::sqrt(static_cast<double>(found.inputs));
}

std::optional<EvidenceLine> taking_away(const Result& result, double level) {
  if (!result.erasure) return std::nullopt;
  const Erasure& found = *result.erasure;
  EvidenceLine line{std::string(kTakingAway), found.change, found.interval, Use::kNoEvidence, {}};
  const bool given = has_less_than_random(found);
  if (found.bonferroni < 1 - level) line.says = given ? side(found.change) : opposite(side(found.change));
  const std::string of_class = class_words(result.class_name);
  const std::string when =
      given ? fmt::format("when {} inputs, which have less of it than random ones, are brought up to those,",
                          of_class)
            : "without it";
  line.text = speaks(line.says) ? fmt::format("{} {} {} by {}", when, of_class,
                                              found.change < 0 ? "falls" : "rises", size_of(found.change))
                                : fmt::format("{} {} does not clearly change ({})", when, of_class,
                                              unclear(found.change, found.interval, found.bonferroni));

  return line;
}

std::optional<EvidenceLine> real_difference(const Result& result) {
  if (!result.logits) return std::nullopt;
  const LogitDifference& found = *result.logits;
  EvidenceLine line{std::string(kRealDifference), found.difference, found.interval, Use::kNoEvidence, {}};
  if (leaves_out_zero(found.interval)) line.says = side(found.difference);
  const std::string of_class = class_words(result.class_name);
  line.text =
      speaks(line.says)
          ? fmt::format("real {} examples have {} {} {} logits than random ones", result.concept_name,
                        size_of(found.difference), found.difference > 0 ? "more" : "fewer", of_class)
          : fmt::format("{} logits of real {} examples do not clearly differ from random ones ({})", of_class,
                        result.concept_name, signed_words(found.difference, found.interval));
  return line;
}

const EvidenceLine* find(const Verdict& verdict, std::string_view name) {
  const auto found = std::ranges::find(verdict.evidence, name, &EvidenceLine::line);
  return found == verdict.evidence.end() ? nullptr : &*found;
}
Use says(const EvidenceLine* line) { return line == nullptr ? Use::kNoEvidence : line->says; }

// What adding and taking away say together.
Use answer_of_network(const Verdict& verdict) {
  const Use added = says(find(verdict, kAdding));
  const Use taken = says(find(verdict, kTakingAway));
  if (contradict(added, taken)) return Use::kNoEvidence;
  return speaks(added) ? added : taken;
}

std::string claim(Use use, bool small, const std::string& of_class) {
  switch (use) {
    case Use::kFor:
      return (small ? "a small but real push towards " : "the model uses it for ") + of_class;
    case Use::kAgainst:
      return (small ? "a small but real push away from " : "the model counts it against ") + of_class;
    case Use::kNoEvidence:
      break;
  }
  return "no evidence that the model uses it for " + of_class;
}

std::string claim_of_given(Use use, const std::string& of_class) {
  if (!speaks(use)) return "no clear push towards or away from " + of_class;
  return fmt::format("along it the logit of {} {}", of_class, use == Use::kFor ? "rises" : "falls");
}

// Why there is no evidence, where the interval alone would puzzle.
std::string doubt(const Result& result) {
  const stats::Interval& d = result.effect.d_interval;
  if (leaves_out_zero(result.effect.interval)) {
    return fmt::format(
        " The interval leaves out 0, but among so many tests that happens by chance ({} corrected).",
        p_words(result.corrected_p()));
  }
  if (result.effect.d && d.high - d.low > kWide)
    return " The interval is wide: more examples or inputs could decide.";
  return "";
}

std::string at_layer(const Result& result, bool layer) {
  return layer && !result.layer.empty() ? " at " + result.layer : "";
}

std::string text_of_first_order(const Result& result, const Verdict& verdict, bool layer) {
  const std::string of_class = class_words(result.class_name);
  const stats::Effect& effect = result.effect;
  const bool small =
      effect.d && leaves_out_zero(effect.d_interval) && std::abs(*effect.d) < stats::kModerateEffect;
  std::string text =
      (result.examples ? claim(verdict.use, small, of_class) : claim_of_given(verdict.use, of_class)) +
      at_layer(result, layer) + fmt::format(": {} logits", signed_words(effect.logits, effect.interval));
  if (!result.examples) return text + " over inputs like these." + (speaks(verdict.use) ? "" : doubt(result));
  text += ".";
  return speaks(verdict.use) ? text : text + doubt(result);
}

// "adding … and without it …".
std::string network_words(const Verdict& verdict, std::string_view joint) {
  const EvidenceLine* added = find(verdict, kAdding);
  const EvidenceLine* taken = find(verdict, kTakingAway);
  return taken == nullptr ? added->text : fmt::format("{}{} {}", added->text, joint, taken->text);
}

// Among the twentieth of all classes that are moved most.
bool is_particular(const Result& result, Use use) {
  const Intervention& found = *result.intervention;
  const Index rank = (found.random ? *found.random : found.of_class).rank.back();
  return 20 * (use == Use::kFor ? rank - 1 : found.classes - rank) < found.classes;
}

// Ends without a full stop.
std::string text_of_network(const Result& result, const Verdict& verdict, bool layer) {
  const std::string of_class = class_words(result.class_name);
  const EvidenceLine& gradients = verdict.evidence.front();
  const Use added = says(find(verdict, kAdding));
  const Use taken = says(find(verdict, kTakingAway));
  const std::string here = at_layer(result, layer);
  std::string conclusion = verdict.use == Use::kFor ? "used" : "counted against it";
  if (speaks(added) && !is_particular(result, verdict.use)) conclusion += ", as by many other classes";
  if (contradict(added, taken)) {
    return fmt::format("undecided for {}{}: {}, yet {}. {}", of_class, here, find(verdict, kAdding)->text,
                       find(verdict, kTakingAway)->text, gradients.text);
  }
  // A line that speaks beside one that does not: "but" comes before the one that does.
  const bool differ = find(verdict, kTakingAway) != nullptr && speaks(added) != speaks(taken);
  const bool taken_speaks = differ && speaks(taken);
  const std::string_view joint = !differ ? ", and" : taken_speaks ? ", but" : ", though";
  if (contradict(gradients.says, verdict.use)) {
    return fmt::format("{}{}, {} {}: {}; the gradients mislead", gradients.text, here,
                       taken_speaks ? "while" : "but", network_words(verdict, joint), conclusion);
  }
  if (speaks(verdict.use) && !speaks(gradients.says)) {
    return fmt::format("{}{}, {} {}: {}, not at the margin", gradients.text, here,
                       taken_speaks ? "and" : "but", network_words(verdict, joint), conclusion);
  }
  if (speaks(verdict.use)) {
    return fmt::format("the model {} {}{}: {}; gradients agree ({} logits)",
                       verdict.use == Use::kFor ? "uses it for" : "counts it against", of_class, here,
                       network_words(verdict, joint), signed_number(gradients.logits));
  }
  if (speaks(gradients.says)) {
    const stats::Interval& moved = find(verdict, kAdding)->interval;
    const bool may_agree = moved.low <= gradients.logits && gradients.logits <= moved.high;
    return fmt::format("{}{}, but {}: {}", gradients.text, here, network_words(verdict, joint),
                       may_agree ? "undecided, more inputs could tell" : "not shown to be used");
  }
  return fmt::format("no evidence that the model uses it for {}{}: {}; gradients show little ({} logits)",
                     of_class, here, network_words(verdict, joint), signed_number(gradients.logits));
}

std::string text_with_network(const Result& result, const Verdict& verdict, bool layer) {
  std::string text = text_of_network(result, verdict, layer) + ".";
  if (!speaks(verdict.use) && result.examples &&
      result.examples->equivalence.verdict == UseVerdict::kNotBeyond) {
    text += fmt::format(" To first order any effect is smaller than d = {:g}.",
                        result.examples->equivalence.bound);
  }
  const EvidenceLine* real = find(verdict, kRealDifference);
  if (!speaks(says(real))) return text;
  std::string sentence = real->text;
  sentence.front() = 'R';
  return text + (contradict(real->says, verdict.use) ? " Yet r" + sentence.substr(1) : " " + sentence) + ".";
}

}  // namespace

bool share_tells(const Erasure& erasure) {
  constexpr double kTold = 2;
  return std::abs(erasure.share.mean) < kTold;
}

Verdict judge(const Result& result, double level) {
  Verdict verdict;
  verdict.evidence.push_back(first_order(result, level));
  for (auto&& line : {adding(result, level), taking_away(result, level), real_difference(result)}) {
    if (line) verdict.evidence.push_back(*line);
  }
  const Use gradients = verdict.evidence.front().says;
  verdict.use = gradients;
  if (find(verdict, kAdding) != nullptr) {
    verdict.use = answer_of_network(verdict);
    verdict.agrees = verdict.use == gradients &&
                     !contradict(says(find(verdict, kAdding)), says(find(verdict, kTakingAway)));
  }
  if (contradict(verdict.use, says(find(verdict, kRealDifference)))) verdict.agrees = false;
  verdict.text = verdict_text(result, verdict, false);
  if (find(verdict, kAdding) == nullptr)
    verdict.text += " First order only: nothing was added or taken away.";
  return verdict;
}

std::string verdict_text(const Result& result, const Verdict& verdict, bool layer) {
  return find(verdict, kAdding) != nullptr ? text_with_network(result, verdict, layer)
                                           : text_of_first_order(result, verdict, layer);
}

}  // namespace atcav
