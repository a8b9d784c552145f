#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "atcav/score.h"
#include "core/check.h"
#include "data/image/encode_image.h"
#include "pipeline/score_laws.h"
#include "report/columns.h"
#include "report/document.h"
#include "report/findings.h"
#include "report/histogram.h"
#include "report/words.h"

namespace atcav::report {
namespace {

using Json = nlohmann::ordered_json;

Json histogram(const std::vector<std::vector<double>>& lists, double anchor) {
  const Histogram found = make_histogram(lists, anchor);
  return {{"from", compact(found.from)}, {"width", compact(found.width)}, {"counts", found.counts}};
}

Json with_ends(double value, const stats::Interval& interval) {
  return {{"at", compact(value)}, {"low", compact(interval.low)}, {"high", compact(interval.high)}};
}

Json profile(const Result& result, double level) {
  Json json = {{"score", Json::array()}, {"low", Json::array()}, {"high", Json::array()}};
  const Eigen::Map<const Vector> s(result.sensitivities.data(), std::ssize(result.sensitivities));
  for (std::size_t i = 0; i < result.profile.alpha.size(); ++i) {
    const double score = result.profile.score[i];
    const stats::Interval interval =
        result.examples
            ? result.examples->profile_intervals[i]
            : stats::normal_interval(
                  score, stats::mean_error(stats::score_terms(s, stats::alpha_rule(result.profile.alpha[i]))),
                  level);
    json["score"].push_back(compact(score));
    json["low"].push_back(compact(interval.low));
    json["high"].push_back(compact(interval.high));
  }
  return json;
}

Json held_out(const Accuracy& accuracy) {
  const auto law = [](const stats::NormalLaw& normal) {
    return Json{{"mean", compact(normal.mean)}, {"sd", compact(std::sqrt(normal.variance))}};
  };
  return {{"threshold", compact(accuracy.threshold)},
          {"predicted", compact(accuracy.predicted)},
          {"random", law(accuracy.random)},
          {"concept", law(accuracy.of_concept)},
          {"histogram", histogram({accuracy.random_scores, accuracy.concept_scores}, accuracy.threshold)}};
}

Json response(const DoseResponse& response) {
  Json json = Json::array();
  for (std::size_t t = 0; t < kDoses.size(); ++t) {
    json.push_back({{"dose", kDoses[t]},
                    {"odd", signed_words(response.odd[t], {response.low[t], response.high[t]})},
                    {"effect", with_ends(response.odd[t], {response.low[t], response.high[t]})},
                    {"damage", compact(response.even[t])},
                    {"even", signed_words(response.even[t], {-HUGE_VAL, HUGE_VAL})},
                    {"rank", response.rank[t]}});
  }
  return {{"inputs", response.inputs}, {"doses", json}};
}

Json intervention(const Intervention& found) {
  Json json = {{"classes", found.classes}, {"class", response(found.of_class)}};
  if (found.random) json["random"] = response(*found.random);
  return json;
}

// What the page draws first: each line of evidence in logits, and the control.
Json network(const Result& result) {
  Json rows = Json::array();
  // `label` in lines that are short enough for a telephone.
  const auto add = [&](const std::string& name, const std::vector<std::string>& label, double at,
                       const stats::Interval& interval, const std::string& note) {
    Json row = with_ends(at, interval);
    row["name"] = name;
    row["label"] = label;
    row["words"] = signed_words(at, interval);
    row["note"] = note;
    rows.push_back(std::move(row));
  };
  const auto rank = [&](Index rank, Index classes) {
    return classes > 1 ? fmt::format("rank {} of {}", rank, classes) : "";
  };
  const auto response = [&](const std::string& name, const std::vector<std::string>& label,
                            const DoseResponse& on) {
    add(name, label, on.odd.back(), {on.low.back(), on.high.back()},
        rank(on.rank.back(), result.intervention->classes));
  };
  add("gradients, first order", {"gradients"}, result.effect.logits, result.effect.interval, "");
  if (result.intervention->random)
    response("added to random", {"added", "to", "random"}, *result.intervention->random);
  response("added to " + class_words(result.class_name), {"added", "to class"},
           result.intervention->of_class);
  if (result.erasure) {
    const Erasure& erasure = *result.erasure;
    add("taken away", {"taken", "away"}, erasure.change, erasure.interval,
        erasure.top1_before ? rank(erasure.rank, result.intervention->classes) : "");
    if (erasure.control) {
      const double reach = 2 * erasure.control->sd;
      add("control: random halves taken away", {"random", "halves", "away"}, erasure.control->mean,
          {erasure.control->mean - reach, erasure.control->mean + reach}, "mean ± 2 sd over random halves");
    }
  }
  if (result.logits)
    add("real examples", {"real", "ones"}, result.logits->difference, result.logits->interval, "");
  return rows;
}

// Sensitivities in units of γ, as the page shows them.
Json maps_document(const PositionMaps& maps, double gamma) {
  Json json = {{"height", maps.height}, {"width", maps.width}, {"cell", maps.cell}, {"tokens", maps.tokens}};
  for (const PositionMap& map : maps.inputs) {
    json["sensitivity"][std::to_string(map.input)] = cells_json(map.sensitivity, gamma);
    if (!map.activation.empty()) json["concept"][std::to_string(map.input)] = cells_json(map.activation, 1);
  }
  return json;
}

const char* uncalibrated(const FromExamples& known) {
  return known.posteriors_calibrated() ? "" : " (not calibrated here: mostly prior)";
}

void add_label_facts(Json& list, const Result& result) {
  const FromExamples& known = *result.examples;
  const Significance& p = known.significance;
  list["Examples"] = result.label->numbers
                         ? fmt::format("{}, one step is {:.3g}", result.label->rows, result.label->sd)
                         : fmt::format("{} with the label, {} without", known.n_concept, known.n_random);
  list["Posterior: empirical Bayes, flat"] =
      fmt::format("{:.2f}, {:.2f}{}", known.empirical_bayes, known.flat_posterior, uncalibrated(known));
  list["p of use: alone, Bonferroni, Benjamini–Hochberg"] =
      fmt::format("{}, {}, {}", p_number(p.use_p), p_number(p.bonferroni), p_number(p.benjamini_hochberg));
  if (!result.joint) return;
  const JointEffect& joint = *result.joint;
  list["Logits, other labels held fixed"] = signed_words(joint.effect.logits, joint.effect.interval);
  list["Effect d, other labels held fixed"] = signed_words(joint.effect.d, joint.effect.d_interval);
  list["p of use, other labels held fixed"] = fmt::format(
      "{}, {}, {}", p_number(joint.effect.p), p_number(joint.bonferroni), p_number(joint.benjamini_hochberg));
  list["Variance inflation"] = fmt::format("{:.2f}", joint.inflation);
}

Json negatives_page(const stats::Negatives& negatives) {
  const auto point = [](double logits, const stats::Interval& interval) {
    return Json{
        {"logits", compact(logits)}, {"low", compact(interval.low)}, {"high", compact(interval.high)}};
  };
  Json json = {{"chi2", nullptr}, {"line", Json::array()}, {"strata", Json::array()}};
  if (negatives.chi2) json["chi2"] = compact(*negatives.chi2);
  for (const stats::Negatives::Point& one : negatives.line) {
    json["line"].push_back(point(one.logits, one.interval));
    json["line"].back()["chi2"] = compact(one.chi2);
  }
  for (const stats::Stratum& one : negatives.strata) {
    json["strata"].push_back(point(one.logits, one.interval));
    json["strata"].back()["name"] = one.name;
    json["strata"].back()["rows"] = one.rows;
  }
  return json;
}

Json facts(const Result& result, const Options& options) {
  const auto with_interval = [&result](double value, const char* key) {
    return fmt::format("{:.2f} ({})", value, interval_words(result.intervals.at(key).interval));
  };
  const auto alpha = [](double value) { return std::isinf(value) ? "∞" : fmt::format("{:.2f}", value); };
  Json list = {{"Dimensions", std::to_string(result.dimension)},
               {"TCAV", with_interval(result.tcav, "tcav")},
               {"Logits per step", signed_words(result.effect.logits, result.effect.interval)}};
  if (result.given) {
    const FromInputs::Baseline& random = result.given->baseline;
    list["p over inputs: alone, Bonferroni, Benjamini–Hochberg"] =
        fmt::format("{}, {}, {}", p_number(result.effect.p), p_number(result.given->bonferroni),
                    p_number(result.given->benjamini_hochberg));
    list["Random directions of its length"] = fmt::format(
        "± {:.3g} logits (sd); p {}, corrected {}; {:.0f} % of {} drawn ones have p over inputs below {:.3g}",
        random.logits, p_number(random.p), p_number(random.bonferroni), 100 * random.significant,
        random.drawn, 1 - options.level);
  }
  if (!result.examples) return list;
  const FromExamples& known = *result.examples;
  const Significance& p = known.significance;
  list["Effect d"] = signed_words(result.effect.d, result.effect.d_interval);
  if (const auto& found = result.effect.standardised)
    list["Effect in sd of the logit over random inputs"] = signed_words(found->value, found->interval);
  if (result.label) {
    add_label_facts(list, result);
    return list;
  }
  list["Examples"] = fmt::format("{} concept, {} random", known.n_concept, known.n_random);
  list["Extrapolated to endless examples"] = with_interval(known.extrapolated, "extrapolated");
  list["Posterior: shared errors, empirical Bayes, flat"] =
      fmt::format("{:.2f}, {:.2f}, {:.2f}{}", known.shared_posterior, known.empirical_bayes,
                  known.flat_posterior, uncalibrated(known));
  list["Multi-TCAV"] =
      fmt::format("{:.2f} ± {:.2f} over {} runs", known.multi.mean, known.multi.sd, known.multi.runs);
  const auto& averaged = known.multi.alpha_tcav;
  if (!averaged.empty())
    list["α-TCAV over the same runs"] =
        fmt::format("α = 1: {:.2f}, α = 3: {:.2f}", averaged.at("1"), averaged.at("3"));
  list["Profile over α"] = std::string(name(read_profile(result)));
  if (known.stability)
    list["Stability: cosine with a CAV of new examples"] =
        known.stability->relative_variance
            ? fmt::format("{:.2f} (Tr Cov w/|w|² {:.2f})", known.stability->cosine,
                          *known.stability->relative_variance)
            : fmt::format("{:.2f} (of halves {:.2f})", known.stability->cosine,
                          known.stability->split_half.value_or(0));
  if (!known.laws.two_peaks.empty())
    list["Scores with two peaks"] =
        fmt::format("{:.0f} % of inputs", 100 * known.laws.two_peaks.at(result.headline));
  list["Sensitivities under new examples"] =
      fmt::format("{}: skewness {:.2f}, excess kurtosis {:.2f}", known.laws.normal ? "normal" : "not normal",
                  known.laws.skewness, known.laws.excess_kurtosis);
  list["α*, α†"] = alpha(known.alpha_star) + ", " + alpha(known.alpha_dagger);
  list["AUC, held out (interval approximate)"] =
      fmt::format("{:.2f} ({})", known.accuracy.auc, interval_words(known.accuracy.auc_interval));
  list["p of use: alone, Bonferroni, Benjamini–Hochberg"] =
      fmt::format("{}, {}, {}", p_number(p.use_p), p_number(p.bonferroni), p_number(p.benjamini_hochberg));
  list["p that the examples differ from random"] = p_of_relabelling(p.differs_p, options.permutations);
  list["p of the usual t-test over runs (too optimistic)"] = p_number(p.welch_p);
  return list;
}

void add_details(Json& json, const Result& result, const Options& options) {
  const double level = options.level;
  std::vector<double> normalised = result.sensitivities;
  for (double& value : normalised) value /= result.gamma;
  json["sentence"] = sentence(result, level, true);
  json["positive"] = std::ranges::count_if(normalised, [](double s) { return s > 0; });
  json["sensitivities"] = histogram({normalised}, 0);
  const Extremes ends = extremes_of(normalised);
  for (const auto& [key, inputs] : {std::pair("most", &ends.most), std::pair("least", &ends.least)}) {
    for (const Index input : *inputs) json[key].push_back({input, compact(normalised[input])});
  }
  json["facts"] = facts(result, options);
  if (!result.truth.empty()) json["truth"] = result.truth;
  if (const std::vector<Index> wrong = on_wrong_side(result); !wrong.empty()) {
    const auto shown = std::min<std::ptrdiff_t>(std::ssize(wrong), kExamples);
    json["wrong_side"] = {{"count", wrong.size()},
                          {"of", result.examples->accuracy.concept_rows.size()},
                          {"encoded", result.examples->accuracy.encoded()},
                          {"rows", std::vector(wrong.begin(), wrong.begin() + shown)}};
  }
  if (result.examples && !result.label) json["held_out"] = held_out(result.examples->accuracy);
  if (result.negatives) json["negatives"] = negatives_page(*result.negatives);
  if (result.intervention) json["network"] = network(result);
  if (result.intervention) json["intervention"] = intervention(*result.intervention);
  if (result.maps) json["maps"] = maps_document(*result.maps, result.gamma);
}

// What the closer look shows besides the columns.
Json details(const Result& result, const Options& options) {
  Json json = {{"scores", {{"tcav", compact(result.tcav)}}}};
  for (const auto& [key, score] : result.alpha_tcav) json["scores"][key] = compact(score);
  for (const auto& [key, one] : result.intervals)
    json["intervals"][key] = {compact(one.interval.low), compact(one.interval.high)};
  json["profile"] = profile(result, options.level);
  if (result.examples)
    json["alpha"] = {{"star", compact(result.examples->alpha_star)},
                     {"dagger", compact(result.examples->alpha_dagger)}};
  add_details(json, result, options);
  return json;
}

// What the table, the heat map and the charts over layers show of every result.
void add_columns(Columns& columns, const Result& result, double level) {
  columns.add_name("concept", result.concept_name);
  columns.add_name("class", result.class_name);
  columns.add_name("layer", result.layer);
  columns.add_name("use", std::string(word(verdict_of(result, level).use)));
  columns.add("effect", measure(result).value_or(HUGE_VAL), measure_interval(result));
  columns.add("score", result.score(), result.interval());
  columns.add("tcav", result.tcav, result.intervals.at("tcav").interval);
  columns.add("p", result.corrected_p());
  columns.add("warnings", static_cast<double>(result.warnings.size()));
  columns.add("inputs", static_cast<double>(result.sensitivities.size()));
  if (!result.examples) return;
  const FromExamples& known = *result.examples;
  columns.add("logits", result.effect.logits);
  if (const auto& found = result.effect.standardised)
    columns.add("standardised", found->value, found->interval);
  else
    columns.add("standardised", HUGE_VAL, {});
  columns.add("posterior", known.empirical_bayes);
  columns.add("accuracy", result.label ? HUGE_VAL : known.accuracy.held_out, known.accuracy.interval);
}

Json picture_document(const Thumbnail& picture) {
  if (!picture.uri.empty() && !picture.uri.starts_with("data:image/"))
    fail_argument("results_html", fmt::format("picture of '{}' is not a data:image/ address", picture.name));
  return {{"name", picture.name}, {"uri", picture.uri}};
}

Json examples_document(const std::vector<Result>& results, const Thumbnails& examples) {
  Json json = Json::object();
  for (const auto& [concept_name, list] : examples) {
    for (const Index row : shown_examples(results, concept_name, std::ssize(list)))
      json[concept_name][std::to_string(row)] = picture_document(list.at(static_cast<std::size_t>(row)));
  }
  return json;
}

Json thumbnails_document(const std::vector<Result>& results, const Thumbnails& thumbnails) {
  for (const Result& result : results) {
    const auto found = thumbnails.find(result.class_name);
    if (found == thumbnails.end()) continue;
    check_same("results_html", "number", fmt::format("thumbnails of '{}'", result.class_name),
               std::ssize(found->second), "its sensitivities", std::ssize(result.sensitivities));
  }
  Json json = Json::object();
  for (const auto& [class_name, list] : thumbnails) {
    for (const Index input : shown_inputs(results, class_name))
      json[class_name][std::to_string(input)] = picture_document(list[input]);
  }
  return json;
}

}  // namespace

Json cells_json(const std::vector<double>& values, double unit) {
  double peak = 0;
  for (const double value : values) peak = std::max(peak, std::abs(value));
  std::string bytes;
  for (const double value : values)
    bytes += static_cast<char>(std::lround(peak > 0 ? 127 * value / peak : 0));
  return {compact(peak / unit), data::base64(bytes)};
}

nlohmann::ordered_json page_document(const RunResult& result, const Extras& extras) {
  const Result& first = result.results.front();
  Json json = {{"level", result.options.level}, {"headline", first.headline}, {"grid", Json::array()}};
  for (const double alpha : first.profile.alpha) json["grid"].push_back(compact(alpha));
  json["thumbnails"] = thumbnails_document(result.results, extras.thumbnails);
  json["examples"] = examples_document(result.results, extras.examples);
  json["random"] = Json::array();
  for (const Thumbnail& picture : extras.random) json["random"].push_back(picture_document(picture));
  Columns columns;
  for (const Result& one : result.results) add_columns(columns, one, result.options.level);
  json["names"] = columns.names();
  json["columns"] = columns.columns();
  json["details"] = Json::object();
  for (const std::size_t i : detailed_results(result.results))
    json["details"][std::to_string(i)] = details(result.results[i], result.options);
  return json;
}

}  // namespace atcav::report
