#include "atcav/report/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "atcav/base/version.h"

namespace atcav::report {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity; null stands for it.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json options_json(const Options& options) {
  Json json;
  json["cav"] = stats::name(options.cav.method);
  json["lambda"] = options.cav.lambda;
  json["cost"] = options.cav.cost;
  json["centred"] = options.cav.centred;
  json["alpha"] = options.alpha;
  json["sigma"] = name(options.sigma);
  json["runs"] = options.runs;
  json["split"] = name(options.split);
  json["interval"] = name(options.interval);
  json["bootstrap"] = options.bootstrap;
  json["permutations"] = options.permutations;
  json["level"] = options.level;
  json["moments_only"] = options.moments_only;
  return json;
}

Json interval_json(const ScoreInterval& interval, double level) {
  return {{"level", level},
          {"method", interval.method},
          {"low", interval.interval.low},
          {"high", interval.interval.high},
          {"standard_error", number(interval.standard_error)}};
}

Json normal_json(const stats::NormalLaw& law) {
  return {{"mean", law.mean}, {"sd", std::sqrt(law.variance)}};
}

Json profile_json(const Result& result) {
  Json json = {{"alpha", result.profile.alpha}, {"score", result.profile.score}};
  json["low"] = json["high"] = Json::array();
  for (const stats::Interval& interval : result.profile_intervals) {
    json["low"].push_back(interval.low);
    json["high"].push_back(interval.high);
  }
  return json;
}

Json entanglement_json(const Entanglement& entanglement) {
  Json cosines = Json::array();
  for (const auto& row : entanglement.cosines.rowwise())
    cosines.push_back(std::vector<double>(row.begin(), row.end()));
  return {{"layer", entanglement.layer}, {"concepts", entanglement.concepts}, {"cosines", cosines}};
}

Json result_json(const Result& result, double level) {
  Json json;
  json["concept"] = result.concept_name;
  json["class"] = result.class_name;
  json["layer"] = result.layer;
  json["cav"] = result.cav;
  json["d"] = result.dimension;
  json["n_concept"] = result.n_concept;
  json["n_random"] = result.n_random;
  json["n_class"] = result.n_class;
  json["tcav"] = result.tcav;
  json["magnitude"] = result.magnitude;
  json["zero_share"] = result.zero_share;
  json["gamma"] = result.gamma;
  json["sigma_effective"] = result.sigma_effective;
  json["alpha"] = {{"star", number(result.alpha_star)}, {"dagger", number(result.alpha_dagger)}};
  json["alpha_tcav"] = result.alpha_tcav;
  json["posterior"] = {{"flat", result.flat_posterior},
                       {"empirical_bayes", result.empirical_bayes},
                       {"tau_squared", result.tau_squared}};
  json["multi_tcav"] = {{"runs", result.multi.runs},
                        {"mean", result.multi.mean},
                        {"sd", result.multi.sd},
                        {"scores", result.multi.scores}};
  const ScoreInterval& headline = result.intervals.at(result.headline);
  json["interval"] = interval_json(headline, level);
  json["interval"].erase("standard_error");
  json["interval"]["of"] = result.headline;
  json["standard_error"] = {{"cav", headline.standard_error}, {"inputs", result.error_inputs}};
  if (result.error_parts) {
    json["standard_error"]["variance_random"] = result.error_parts->random;
    json["standard_error"]["variance_concept"] = result.error_parts->of_concept;
  }
  json["intervals"] = Json::object();
  for (const auto& [key, interval] : result.intervals)
    json["intervals"][key] = interval_json(interval, level);
  json["extrapolated"] = result.extrapolated;
  json["accuracy"] = {
      {"held_out", result.accuracy.held_out},          {"auc", result.accuracy.auc},
      {"predicted", result.accuracy.predicted},        {"threshold", result.accuracy.threshold},
      {"random", normal_json(result.accuracy.random)}, {"concept", normal_json(result.accuracy.of_concept)}};
  json["held_out_scores"] = {{"random", result.accuracy.random_scores},
                             {"concept", result.accuracy.concept_scores}};
  json["significance"] = {
      {"permutation_p", result.significance.permutation_p},
      {"welch_p", result.significance.welch_p},
      {"bonferroni", result.significance.bonferroni},
      {"benjamini_hochberg", result.significance.benjamini_hochberg},
      {"welch_note", "overstates: runs that share the concept's examples are correlated"}};
  json["profile"] = profile_json(result);
  json["sensitivities"] = result.sensitivities;
  json["sensitivity_errors"] = result.sensitivity_errors;
  json["warnings"] = result.warnings;
  return json;
}

Json given_json(const GivenScore& given, double level) {
  Json json;
  json["concept"] = given.concept_name;
  json["class"] = given.class_name;
  json["layer"] = given.layer;
  json["d"] = given.dimension;
  json["n_class"] = given.n_class;
  json["tcav"] = given.tcav;
  json["magnitude"] = given.magnitude;
  json["zero_share"] = given.zero_share;
  json["gamma"] = given.gamma;
  json["alpha_tcav"] = given.alpha_tcav;
  json["headline"] = given.headline;
  json["intervals"] = Json::object();
  for (const auto& [key, interval] : given.intervals) {
    json["intervals"][key] = interval_json({interval.interval, "inputs", interval.standard_error}, level);
  }
  json["profile"] = {{"alpha", given.profile.alpha}, {"score", given.profile.score}};
  json["sensitivities"] = given.sensitivities;
  json["warnings"] = given.warnings;
  return json;
}

}  // namespace

std::string results_json(const std::string& command, const RunResult& scored) {
  Json json;
  json["atcav"] = kVersion;
  json["command"] = command;
  json["seed"] = scored.options.seed;
  json["libraries"] = scored.libraries;
  json["options"] = options_json(scored.options);
  if (!scored.setup.empty()) json["config"] = scored.setup;
  if (!scored.notes.empty()) json["notes"] = scored.notes;
  json["inputs"] = Json::array();
  for (const Input& input : scored.inputs) {
    json["inputs"].push_back(
        {{"role", input.role}, {"path", input.path}, {"sha256", input.sha256}, {"shape", input.shape}});
  }
  json["results"] = Json::array();
  for (const Result& result : scored.results) {
    json["results"].push_back(result_json(result, scored.options.level));
  }
  for (const GivenScore& given : scored.given)
    json["given"].push_back(given_json(given, scored.options.level));
  json["entanglement"] = Json::array();
  for (const Entanglement& layer : scored.entanglement)
    json["entanglement"].push_back(entanglement_json(layer));
  // Names and paths are the user's bytes: what is not UTF-8 is replaced rather than refused.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string timings_json(const RunResult& scored) {
  Json json;
  for (const auto& [stage, seconds] : scored.seconds) json["seconds"][stage] = seconds;
  json["examples_run"] = scored.examples_run;
  json["remarks"] = scored.remarks;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace atcav::report
