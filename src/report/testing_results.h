#pragma once

#include <string>

#include "atcav/result.h"
#include "atcav/score.h"

// Results for the tests of this component.
namespace atcav::report {

// Along the direction three of four inputs go up: 1.02 logits, 95 % interval −0.40 … 2.45.
inline Result example_given(const std::string& concept_name = "striped",
                            const std::string& layer = "layer3") {
  Result result;
  result.concept_name = concept_name;
  result.class_name = "zebra";
  result.layer = layer;
  result.cav = "given";
  result.n_class = 4;
  result.sensitivities = {1.5, 2, -0.1, 0.7};
  const Vector s = Eigen::Map<const Vector>(result.sensitivities.data(), 4);
  result.tcav = 0.75;
  result.magnitude = s.mean();
  result.effect = stats::measure_effect_of_direction(s, 0.95);
  result.given = FromInputs{result.effect.p, result.effect.p, {0.5, 0.06, 0.12, 0.06, 1000, 0.1}};
  result.gamma = stats::root_mean_square(s);
  result.profile = stats::sensitivity_profile(s);
  result.headline = std::string("1");  // not assigned: GCC 12 warns of a false overlap
  result.alpha_tcav = {{"1", 0.61}, {"3", 0.8}};
  for (const char* key : {"1", "3", "tcav"})
    result.intervals[key] = {{0.55, 0.67}, IntervalKind::kInputs, 0.03};
  return result;
}

// A concept that matters clearly: 1.57 logits (0.93 to 2.21), d 1.4 (0.8 to 2), p 0.001 corrected, accuracy
// 0.97 (0.9 to 0.99), score 0.91.
inline Result example_result(const std::string& concept_name = "striped",
                             const std::string& layer = "layer3") {
  Result result = example_given(concept_name, layer);
  result.cav = "pattern";
  result.given.reset();
  result.effect = {.logits = 1.57,
                   .interval = {0.93, 2.21},
                   .d = 1.4,
                   .d_interval = {0.8, 2},
                   .error_concept = 0.2,
                   .error_random = 0.1,
                   .error_examples = 0.22,
                   .error_inputs = 0.1,
                   .degrees = 40,
                   .p = 0.001};
  result.headline = "dagger";
  result.alpha_tcav = {{"1", 0.7}, {"3", 0.8}, {"star", 0.85}, {"dagger", 0.91}};
  for (const char* key : {"1", "3", "star", "dagger", "tcav", "extrapolated"})
    result.intervals[key] = {{0.86, 0.95}, IntervalKind::kDelta, 0.02};
  FromExamples& examples = result.examples.emplace();
  examples.alpha_star = 1.5;
  examples.alpha_dagger = 4.5;
  examples.profile_intervals.assign(result.profile.alpha.size(), {0.5, 0.9});
  examples.significance.bonferroni = 0.001;
  examples.accuracy.held_out = 0.97;
  examples.accuracy.interval = examples.accuracy.auc_interval = {0.9, 0.99};
  examples.accuracy.random_scores = {-1, 0, 0.5};
  examples.accuracy.concept_scores = {1, 3};
  examples.accuracy.threshold = 0.75;
  examples.stability = {0.9, 0.1, {}};
  return result;
}

// The same where no random example moves the logit.
inline Result example_undefined(const std::string& concept_name = "silent") {
  Result result = example_result(concept_name);
  result.effect.d.reset();
  result.effect.d_interval = {-HUGE_VAL, HUGE_VAL};
  return result;
}

inline RunResult example_run() {
  RunResult result;
  result.command = "score";
  result.options.permutations = 999;
  result.results = {example_result("striped"), example_result("dotted")};
  return result;
}

inline RunResult example_given_run() {
  RunResult result;
  result.command = "run";
  result.results = {example_given("striped"), example_given("dotted")};
  result.notes = {"directions were given"};
  result.inputs = {{Role::Kind::kCavs, "cavs.safetensors", "ab12", {}}};
  return result;
}

}  // namespace atcav::report
