#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "atcav/run/result.h"

// A result in plain words. Three questions that are often mixed up are kept apart:
//
//   effect     how far is the headline score T from ½?    strong |T-½| ≥ 0.25, moderate ≥ 0.1, small below
//   evidence   could it be chance?                        p corrected over all tests, against 1 - level
//   encoding   can the layer tell the concept at all?     held-out accuracy, against 0.6
//
// So a small effect may be certain ("small but real"), a large one unproven ("no evidence"), and a concept
// well encoded and unused. Of a direction that was given, nothing is known about how it came about: the words
// only say which way the logits go along it, and how sure that is for inputs like these.
// All of this is plain text, not HTML.
namespace atcav::report {

enum class Use { kFor, kAgainst, kNoEvidence };
enum class Effect { kStrong, kModerate, kSmall };

struct Verdict {
  Use use = Use::kNoEvidence;  // given directions: whether the interval leaves out ½, and on which side
  Effect effect = Effect::kSmall;
  bool encoded = false;  // given directions: never
};
// "for", "against" or "none": the style sheet's names.
std::string_view word(Use use);
Verdict verdict_of(const Result& result, double level);

// "the model uses it for zebra; 0.91, 95 % interval 0.86–0.95." and what a reader must know besides: what
// the layer encodes, an interval too wide to decide. `layer` names the layer too. Of a given direction:
// "along it the logit of zebra rises; 0.61, 95 % interval 0.55–0.67 over inputs."
std::string sentence(const Result& result, double level, bool layer);

// "strong, +0.41", the distance from ½ with its sign.
std::string effect_words(const Result& result, double level);
// "0.012" or "< 0.001", and the same with its name: "p = 0.012".
std::string p_number(double p);
std::string p_words(double p);
// Three digits, with a true minus: "−0.823".
std::string number_words(double value);
// "0.86–0.95".
std::string interval_words(const stats::Interval& interval);
// "95 %", with a space that does not break.
std::string percent(double share);
// The class as a sentence can use it: an unnamed one is "this class".
std::string class_words(const std::string& class_name);

// Which concepts, classes and layers a list of results speaks of, in order of first appearance.
std::vector<std::string> concepts_of(const std::vector<Result>& results);
std::vector<std::string> classes_of(const std::vector<Result>& results);
std::vector<std::string> layers_of(const std::vector<Result>& results);
// Whether the examples behind the CAVs are known: a run knows them for all of its results or for none.
bool have_examples(const std::vector<Result>& results);
// "a", "a and b", "a, b and c"; with more than `most` names "7 classes" (for plural "classes").
std::string listed(const std::vector<std::string>& names, std::size_t most, const std::string& plural);
// "1 concept", "3 concepts".
std::string counted(std::size_t count, const std::string& singular, const std::string& plural);

// A warning with the results it is about: "striped / zebra @ layer3, dotted / zebra @ layer3".
struct Warning {
  std::string places;
  std::string text;
};
// In order of first appearance; one that several results share is there once. Layers are named when there are
// several.
std::vector<Warning> warnings_of(const std::vector<Result>& results);

// What was asked of the network: which tensor a layer is, for how many of its inputs a class has the largest
// logit.
std::vector<std::string> network_lines(const std::vector<Result>& results);

}  // namespace atcav::report
