#pragma once

#include <string>
#include <string_view>

#include "atcav/run/result.h"

// A result in plain words. Three questions that are often mixed up are kept apart:
//
//   effect     how far is the headline score T from ½?    strong |T-½| ≥ 0.25, moderate ≥ 0.1, small below
//   evidence   could it be chance?                        p corrected over all tests, against 1 - level
//   encoding   can the layer tell the concept at all?     held-out accuracy, against 0.6
//
// So a small effect may be certain ("small but real"), a large one unproven ("no evidence"), and a concept
// well encoded and unused.
namespace atcav::report {

enum class Use { kFor, kAgainst, kNoEvidence };
enum class Effect { kStrong, kModerate, kSmall };

struct Verdict {
  Use use = Use::kNoEvidence;
  Effect effect = Effect::kSmall;
  bool encoded = false;
};
// "for", "against" or "none": the style sheet's names.
std::string_view word(Use use);
Verdict verdict_of(const Result& result, double level);

// "the model uses it for zebra; 0.91, 95 % interval 0.86–0.95." and what a reader must know besides: what
// the layer encodes, an interval too wide to decide. `layer` names the layer too. Plain text, not HTML.
std::string sentence(const Result& result, double level, bool layer);

// "strong, +0.41", the distance from ½ with its sign.
std::string effect_words(const Result& result, double level);
// "0.012" or "< 0.001", and the same with its name: "p = 0.012".
std::string p_number(double p);
std::string p_words(double p);
// "0.86–0.95".
std::string interval_words(const stats::Interval& interval);
// "95 %", with a space that does not break.
std::string percent(double share);
// The class as a sentence can use it: an unnamed one is "this class".
std::string class_words(const std::string& class_name);

}  // namespace atcav::report
