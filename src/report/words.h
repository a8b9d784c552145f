#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atcav/report.h"
#include "atcav/result.h"

// A result in plain words. Three questions that are often mixed up are kept apart:
//
// - Use: does the class's logit move with the concept? Where a network was at hand, what happens when the
//   concept is added and taken away; else gradients alone (Result::verdict). How large to first order: d,
//   against 0.2 (moderate) and 0.8 (strong); nothing is called an effect while d's interval holds 0.
// - Encoding: can the layer tell the concept from random? Held-out accuracy and AUC, both intervals above ½.
// - Particular: does it speak for this class more than others? The class's rank among all logits when the
//   concept is added to random inputs (include/atcav/intervention.h).
//
// So a small effect may be certain, a large one unproven, and a concept well encoded and unused. Of a
// direction that was given, nothing is known about how it came about: the words only say which way the logits
// go along it, and how sure that is for inputs like these. All of this is plain text, not HTML.
namespace atcav::report {

using atcav::Use;
enum class Size { kStrong, kModerate, kSmall, kNotShown };

struct Verdict {
  Use use = Use::kNoEvidence;
  Size size = Size::kNotShown;
  bool encoded = false;  // given directions: never
};
// "for", "against" or "none": the style sheet's names.
std::string_view word(Use use);
Verdict verdict_of(const Result& result, double level);

// "Adding striped to random inputs raises zebra by 3.9 logits, more than any other of 1000 classes." Where
// the interval holds 0 it says so instead. Empty where nothing was added to random inputs.
std::string specificity(const Result& result);

// What taking the concept away from class inputs does: the change with its interval, its rank, the share of
// inputs for which the class is on top before and after, how much of the concept the inputs have, and what
// noise does. Empty where nothing was taken away.
std::string erasure_words(const Result& result);
// "+12.20 (+9.10 to +15.30) zebra logits against random ones (100 and 300 examples)"; empty without a
// network.
std::string real_words(const Result& result);

// "Of the variance of zebra's logit over 200 random inputs, striped and dotted explain 41 % (35 to 47); 2
// random directions explain 4 %, all that is linear in the layer at least 63 %." `layer` names the layer too.
std::string explained_words(const Explained& explained, bool layer);

// "striped as a region: held-out accuracy 0.97 (0.94–0.99), better than its direction: +0.35 (+0.28 to
// +0.41)." of a result that has one.
std::string region_words(const Result& result, bool layer);

// How far the random examples must be reweighted until the effect is no longer shown
// (atcav/effect.h), and without which part of them it is not; empty where it is not shown with them.
std::string negatives_words(const Result& result);

// "strong, d = +1.41 (0.98 to 1.84)"; "not shown, d = …" while the interval holds 0; why d is undefined.
std::string effect_words(const Result& result, double level);
// "+1.57" and "+1.57 (0.93 to 2.21)", with true minus signs; "undefined" without a value.
std::string signed_number(std::optional<double> value);
std::string signed_words(std::optional<double> value, const stats::Interval& interval);
// "0.012" or "< 0.001", and the same with its name: "p = 0.012".
std::string p_number(double p);
std::string p_words(double p);
// Of a test by so many relabellings: "≤ 0.001" where none of them did as much, since it can be no smaller.
std::string p_of_relabelling(double p, Index permutations);
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

// Warnings that say the same, as one: those whose words are equal, whatever their numbers.
struct WarningGroup {
  std::string text;    // the first of them
  bool equal = true;   // all have its numbers too
  std::string places;  // "striped / zebra @ layer3"; of more than three results "16 results (3 concepts,
                       // zebra, 2 layers)"
  std::string first;   // the place that `text` speaks of
};
// In order of first appearance. Layers are named when there are several.
std::vector<WarningGroup> warning_groups(const std::vector<Result>& results);

}  // namespace atcav::report
