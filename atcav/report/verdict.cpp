#include "atcav/report/verdict.h"

#include <fmt/format.h>

#include <cmath>

namespace atcav::report {
namespace {

using Result;

constexpr double kStrong = 0.25;
constexpr double kModerate = 0.1;
// An interval this long holds both a moderate effect and none.
constexpr double kWide = 0.2;

double distance(const Result& result) { return result.alpha_tcav.at(result.headline) - 0.5; }

const stats::Interval& interval_of(const Result& result) {
  return result.intervals.at(result.headline).interval;
}

std::string claim(const Verdict& verdict, const std::string& of_class) {
  const bool small = verdict.effect == Effect::kSmall;
  switch (verdict.use) {
    case Use::kFor:
      return small ? fmt::format("a small but real push towards {}", of_class)
                   : fmt::format("the model uses it for {}", of_class);
    case Use::kAgainst:
      return small ? fmt::format("a small but real push away from {}", of_class)
                   : fmt::format("the model counts it against {}", of_class);
    case Use::kNoEvidence:
      break;
  }
  return fmt::format("no evidence that the model uses it for {}", of_class);
}

// Why there is no evidence, where the interval alone would puzzle.
std::string doubt(const Result& result) {
  const stats::Interval& interval = interval_of(result);
  if (interval.low > 0.5 || interval.high < 0.5) {
    return fmt::format(
        " The interval leaves out 0.50, but relabelled examples get as far too often ({} corrected).",
        p_words(result.significance.bonferroni));
  }
  if (interval.high - interval.low > kWide) return " The interval is wide: more examples could decide.";
  return "";
}

std::string encoding(const Result& result, const Verdict& verdict) {
  const double accuracy = result.accuracy.held_out;
  const bool used = verdict.use != Use::kNoEvidence;
  if (verdict.encoded) {
    return used ? "" : fmt::format(" The layer does encode it (held-out accuracy {:.2f}).", accuracy);
  }
  return fmt::format(" The layer hardly encodes it: held-out accuracy {:.2f}, a coin has 0.50.{}", accuracy,
                     used ? " So its direction is uncertain, read with care." : "");
}

}  // namespace

std::string_view word(Use use) {
  return use == Use::kFor ? "for" : use == Use::kAgainst ? "against" : "none";
}

Verdict verdict_of(const Result& result, double level) {
  Verdict verdict;
  const double from_half = distance(result);
  if (result.significance.bonferroni < 1 - level && from_half != 0) {
    verdict.use = from_half > 0 ? Use::kFor : Use::kAgainst;
  }
  verdict.effect = std::abs(from_half) >= kStrong     ? Effect::kStrong
                   : std::abs(from_half) >= kModerate ? Effect::kModerate
                                                      : Effect::kSmall;
  verdict.encoded = result.accuracy.held_out >= kHardlyEncoded;
  return verdict;
}

std::string sentence(const Result& result, double level, bool layer) {
  const Verdict verdict = verdict_of(result, level);
  std::string text = claim(verdict, class_words(result.class_name));
  if (layer && !result.layer.empty()) text += " at " + result.layer;
  text += fmt::format("; {:.2f}, {} interval {}.", 0.5 + distance(result), percent(level),
                      interval_words(interval_of(result)));
  if (verdict.use == Use::kNoEvidence) text += doubt(result);
  return text + encoding(result, verdict);
}

std::string effect_words(const Result& result, double level) {
  const Effect effect = verdict_of(result, level).effect;
  const char* size = effect == Effect::kStrong     ? "strong"
                     : effect == Effect::kModerate ? "moderate"
                                                   : "small";
  return fmt::format("{}, {}{:.2f}", size, distance(result) < 0 ? "−" : "+", std::abs(distance(result)));
}

std::string p_number(double p) { return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p); }

std::string p_words(double p) { return (p < 0.001 ? "p " : "p = ") + p_number(p); }

std::string interval_words(const stats::Interval& interval) {
  return fmt::format("{:.2f}–{:.2f}", interval.low, interval.high);
}

std::string percent(double share) { return fmt::format("{:g}\u00a0%", 100 * share); }

std::string class_words(const std::string& class_name) {
  return class_name == "class" ? "this class" : class_name;
}

}  // namespace atcav::report
