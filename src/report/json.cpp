#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "atcav/report.h"
#include "atcav/words.h"
#include "pipeline/option_table.h"
#include "pipeline/score_laws.h"
#include "report/document.h"
#include "report/json_parts.h"
#include "report/region.h"

namespace atcav::report {
namespace {

struct JsonOf {
  Json operator()(std::monostate /*not given*/) const { return nullptr; }
  Json operator()(const auto& value) const { return value; }
};

Json interval_json(const ScoreInterval& interval, double level) {
  return {{"level", level},
          {"method", kIntervalNames[static_cast<std::size_t>(interval.kind)]},
          {"approximate", interval.kind != IntervalKind::kBound},
          {"low", interval.interval.low},
          {"high", interval.interval.high},
          {"standard_error", number_json(interval.standard_error)}};
}

Json normal_json(const stats::NormalLaw& law) {
  return {{"mean", law.mean}, {"sd", std::sqrt(law.variance)}};
}

Json profile_json(const Result& result) {
  Json json = {{"alpha", result.profile.alpha}, {"score", result.profile.score}};
  if (!result.examples) return json;
  json["reading"] = name(read_profile(result));
  json["low"] = json["high"] = Json::array();
  for (const stats::Interval& interval : result.examples->profile_intervals) {
    json["low"].push_back(interval.low);
    json["high"].push_back(interval.high);
  }
  return json;
}

Json standard_error_json(const Result& result) {
  Json json = Json::object();
  if (result.examples) json["cav"] = result.intervals.at(result.headline).standard_error;
  json["inputs"] = result.error_inputs;
  return json;
}

// Of a given direction only what the inputs tell.
Json effect_json(const Result& result) {
  const stats::Effect& effect = result.effect;
  Json json = {{"logits", effect.logits},
               {"low", number_json(effect.interval.low)},
               {"high", number_json(effect.interval.high)}};
  if (!result.examples) {
    json["error"] = {{"inputs", effect.error_inputs}};
    json["df"] = effect.degrees;
    json["inputs_p"] = effect.p;
    return json;
  }
  const bool by_set = effect.error_concept > 0 || effect.error_random > 0;
  json["d"] = optional_json(effect.d);
  json["d_low"] = number_json(effect.d_interval.low);
  json["d_high"] = number_json(effect.d_interval.high);
  json["error"] = {{"concept", by_set ? Json(effect.error_concept) : Json()},
                   {"random", by_set ? Json(effect.error_random) : Json()},
                   {"examples", effect.error_examples},
                   {"inputs", effect.error_inputs}};
  json["df"] = effect.degrees;
  json["standardised"] = nullptr;
  if (effect.standardised) {
    const auto& [value, interval] = *effect.standardised;
    json["standardised"] = {
        {"value", value}, {"low", number_json(interval.low)}, {"high", number_json(interval.high)}};
  }
  json["simultaneous"] = nullptr;
  if (effect.simultaneous)
    json["simultaneous"] = {{"low", effect.simultaneous->low}, {"high", effect.simultaneous->high}};
  json["step"] = result.step;
  return json;
}

Json multi_json(const MultiTcav& multi) {
  return {{"runs", multi.runs},     {"mean", multi.mean},   {"sd", multi.sd},
          {"scores", multi.scores}, {"gamma", multi.gamma}, {"alpha_tcav", multi.alpha_tcav}};
}

// What rests on fits to parts of the examples; a label has none of it.
void add_refits(Json& json, const FromExamples& examples) {
  const auto& [peaks, skewness, kurtosis, normal] = examples.laws;
  json["laws"] = {
      {"two_peaks", peaks}, {"skewness", skewness}, {"excess_kurtosis", kurtosis}, {"normal", normal}};
  const auto& [cosine, relative, halves] = *examples.stability;
  json["stability"] = {{"cosine", cosine},
                       {"relative_variance", optional_json(relative)},
                       {"split_half", optional_json(halves)}};
  const Accuracy& accuracy = examples.accuracy;
  json["extrapolated"] = examples.extrapolated;
  json["accuracy"] = {{"held_out", accuracy.held_out},
                      {"low", accuracy.interval.low},
                      {"high", accuracy.interval.high},
                      {"auc", accuracy.auc},
                      {"auc_low", accuracy.auc_interval.low},
                      {"auc_high", accuracy.auc_interval.high},
                      {"approximate", true},
                      {"predicted", accuracy.predicted},
                      {"threshold", accuracy.threshold},
                      {"random", normal_json(accuracy.random)},
                      {"concept", normal_json(accuracy.of_concept)}};
  json["held_out_scores"] = {{"random", accuracy.random_scores}, {"concept", accuracy.concept_scores}};
}

Json significance_json(const Significance& significance, bool refits) {
  Json json = {{"over", "examples and inputs"},
               {"use_p", significance.use_p},
               {"bonferroni", significance.bonferroni},
               {"benjamini_hochberg", significance.benjamini_hochberg},
               {"max_t", optional_json(significance.max_t)}};
  if (!refits) return json;
  json["differs_p"] = significance.differs_p;
  json["welch_p"] = significance.welch_p;
  json["welch_note"] = "too optimistic: runs that share the concept's examples are correlated";
  return json;
}

Json corrected_json(const auto& test) {
  return {{"p", test.p}, {"bonferroni", test.bonferroni}, {"benjamini_hochberg", test.benjamini_hochberg}};
}

// What could be drawn anew are the inputs alone.
void add_given(Json& json, const FromInputs& given, double p) {
  json["significance"] = significance_json({p, given.bonferroni, given.benjamini_hochberg}, false);
  json["significance"]["over"] = "inputs";
  json["baseline"] = corrected_json(given.baseline);
  json["baseline"]["logits"] = given.baseline.logits;
  json["baseline"]["drawn"] = given.baseline.drawn;
  json["baseline"]["significant"] = given.baseline.significant;
}

Json numbers_json(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number_json(value));
  return json;
}

Json equivalence_json(const Result& result) {
  const Equivalence& found = result.examples->equivalence;
  Json json = {{"bound", found.bound},           {"p", found.p},
               {"bonferroni", found.bonferroni}, {"benjamini_hochberg", found.benjamini_hochberg},
               {"verdict", name(found.verdict)}, {"decides", nullptr}};
  const auto times = [&](Index n) {
    return static_cast<Index>(std::ceil(*found.factor * static_cast<double>(n)));
  };
  // What nobody has is not a plan.
  if (found.factor && *found.factor < 1e6) {
    json["decides"] = {{"n_concept", times(result.examples->n_concept)},
                       {"n_random", times(result.examples->n_random)},
                       {"n_class", times(result.n_class)}};
  }
  return json;
}

Json logits_json(const LogitDifference& logits) {
  return {{"difference", logits.difference}, {"low", logits.interval.low},
          {"high", logits.interval.high},    {"p", logits.p},
          {"random_sd", logits.random_sd},   {"n_concept", logits.n_concept},
          {"n_random", logits.n_random}};
}

Json response_json(const DoseResponse& response) {
  return {{"inputs", response.inputs},
          {"dose", kDoses},
          {"odd", response.odd},
          {"low", numbers_json(response.low)},
          {"high", numbers_json(response.high)},
          {"p", response.p},
          {"bonferroni", response.bonferroni},
          {"benjamini_hochberg", response.benjamini_hochberg},
          {"error", {{"inputs", response.error_inputs}, {"examples", response.error_examples}}},
          {"even", response.even},
          {"even_low", numbers_json(response.even_low)},
          {"even_high", numbers_json(response.even_high)},
          {"rank", response.rank}};
}

Json spread_json(const MeanAndSd& spread) { return {{"mean", spread.mean}, {"sd", spread.sd}}; }

Json erasure_json(const Erasure& erasure) {
  Json json = {{"inputs", erasure.inputs},
               {"eraser", erasure.eraser},
               {"change", erasure.change},
               {"low", number_json(erasure.interval.low)},
               {"high", number_json(erasure.interval.high)},
               {"p", erasure.p},
               {"bonferroni", erasure.bonferroni},
               {"benjamini_hochberg", erasure.benjamini_hochberg},
               {"error", {{"inputs", erasure.error_inputs}, {"examples", erasure.error_examples}}},
               {"rank", erasure.rank},
               {"top1_before", optional_json(erasure.top1_before)},
               {"top1_after", optional_json(erasure.top1_after)},
               {"share", spread_json(erasure.share)}};
  if (erasure.control) json["control"] = spread_json(*erasure.control);
  return json;
}

Json verdict_json(const atcav::Verdict& verdict) {
  Json json = {{"text", verdict.text},
               {"use", word(verdict.use)},
               {"agrees", verdict.agrees},
               {"evidence", Json::array()}};
  for (const EvidenceLine& line : verdict.evidence) {
    json["evidence"].push_back({{"line", line.line},
                                {"logits", number_json(line.logits)},
                                {"low", number_json(line.interval.low)},
                                {"high", number_json(line.interval.high)},
                                {"says", word(line.says)},
                                {"text", line.text}});
  }
  return json;
}

Json intervention_json(const Intervention& intervention) {
  Json json = {{"class", response_json(intervention.of_class)}};
  if (intervention.random) json["random"] = response_json(*intervention.random);
  json["classes"] = intervention.classes;
  json["ratio"] = number_json(intervention.ratio);
  return json;
}

// What the network itself answered.
void add_network(Json& json, const Result& result) {
  if (result.logits) json["logits"] = logits_json(*result.logits);
  if (result.intervention) json["intervention"] = intervention_json(*result.intervention);
  if (result.erasure) json["erasure"] = erasure_json(*result.erasure);
  if (result.region) json["region"] = region_json(*result.region);
}

}  // namespace

Json result_json(const Result& result, double level) {
  const FromExamples* examples = result.examples ? &*result.examples : nullptr;
  Json json = {{"concept", result.concept_name}, {"class", result.class_name}, {"layer", result.layer}};
  if (!result.tensor.empty()) json["tensor"] = result.tensor;
  json["cav"] = result.cav;
  json["d"] = result.dimension;
  if (examples != nullptr) {
    json["n_concept"] = examples->n_concept;
    json["n_random"] = examples->n_random;
  }
  json["n_class"] = result.n_class;
  json["effect"] = effect_json(result);
  if (result.label) json["label"] = label_json(*result.label);
  if (result.joint) json["joint"] = joint_json(*result.joint);
  if (result.groups) json["groups"] = groups_json(*result.groups);
  if (result.negatives) json["negatives"] = negatives_json(*result.negatives);
  if (result.top_share) json["top_share"] = *result.top_share;
  json["tcav"] = result.tcav;
  json["magnitude"] = result.magnitude;
  json["zero_share"] = result.zero_share;
  json["gamma"] = result.gamma;
  if (examples != nullptr) {
    json["sigma_effective"] = examples->sigma_effective;
    json["alpha"] = {{"star", number_json(examples->alpha_star)},
                     {"dagger", number_json(examples->alpha_dagger)}};
  }
  json["alpha_tcav"] = result.alpha_tcav;
  if (examples != nullptr) {
    json["posterior"] = {{"flat", examples->flat_posterior}, {"empirical_bayes", examples->empirical_bayes}};
    if (!result.label) json["posterior"]["shared"] = examples->shared_posterior;
    json["posterior"]["tau_squared"] = examples->tau_squared;
    json["posterior"]["calibrated"] = examples->posteriors_calibrated();
    if (!result.label) json["multi_tcav"] = multi_json(examples->multi);
  }
  json["interval"] = interval_json(result.intervals.at(result.headline), level);
  json["interval"].erase("standard_error");
  json["interval"]["of"] = result.headline;
  json["standard_error"] = standard_error_json(result);
  json["intervals"] = Json::object();
  for (const auto& [key, interval] : result.intervals)
    json["intervals"][key] = interval_json(interval, level);
  if (examples != nullptr) {
    if (!result.label) add_refits(json, *examples);
    json["significance"] = significance_json(examples->significance, !result.label);
    json["some_inputs"] = corrected_json(examples->some_inputs);
    json["equivalence"] = equivalence_json(result);
  }
  if (result.given) add_given(json, *result.given, result.effect.p);
  add_network(json, result);
  json["verdict"] = verdict_json(result.verdict);
  json["profile"] = profile_json(result);
  json["sensitivities"] = result.sensitivities;
  if (examples != nullptr) json["sensitivity_errors"] = examples->sensitivity_errors;
  json["warnings"] = result.warnings;
  return json;
}

nlohmann::ordered_json options_document(const Options& options) {
  Config config;
  config.options = options;
  Json json = Json::object();
  for (const Option& option : option_table()) {
    if (!option.recorded) continue;
    std::string key = option.key;
    std::ranges::replace(key, '-', '_');
    json[key] = std::visit(JsonOf{}, option.get(config));
  }
  return json;
}

}  // namespace atcav::report
