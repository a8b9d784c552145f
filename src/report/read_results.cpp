#include "report/read_results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "data/file/fail.h"
#include "pipeline/option_table.h"
#include "report/explained.h"
#include "report/json_parts.h"
#include "report/region.h"

namespace atcav::report {
namespace {

// null stands for infinity.
double number(const Json& json, const char* key, double infinity = HUGE_VAL) {
  const Json& value = json.at(key);
  return value.is_null() ? infinity : value.get<double>();
}

std::optional<double> optional_number(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

stats::Interval interval(const Json& json, const char* low = "low", const char* high = "high") {
  return {number(json, low, -HUGE_VAL), number(json, high)};
}

Use use_of(const Json& json) {
  const auto word = json.get<std::string>();
  return word == "for" ? Use::kFor : word == "against" ? Use::kAgainst : Use::kNoEvidence;
}

template <std::size_t Count>
std::size_t place_of(const std::array<const char*, Count>& words, const std::string& word) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) throw std::invalid_argument("unknown word " + word);
  return static_cast<std::size_t>(found - words.begin());
}

stats::Effect effect_in(const Json& json, bool examples) {
  stats::Effect effect;
  effect.logits = json.at("logits");
  effect.interval = interval(json);
  effect.error_inputs = json.at("error").at("inputs");
  effect.degrees = json.at("df");
  if (!examples) {
    effect.p = json.at("inputs_p");
    return effect;
  }
  const Json& error = json.at("error");
  effect.d = optional_number(json, "d");
  effect.d_interval = interval(json, "d_low", "d_high");
  effect.error_concept = error.contains("concept") ? optional_number(error, "concept").value_or(0) : 0;
  effect.error_random = error.contains("random") ? optional_number(error, "random").value_or(0) : 0;
  effect.error_examples = error.at("examples");
  if (json.contains("simultaneous") && !json["simultaneous"].is_null())
    effect.simultaneous = interval(json["simultaneous"]);
  if (const auto found = json.find("standardised"); found != json.end() && !found->is_null())
    effect.standardised = {found->at("value"), interval(*found)};
  return effect;
}

JointEffect joint_in(const Json& json) {
  JointEffect joint;
  joint.effect = effect_in(json, true);
  joint.effect.p = json.at("use_p");
  joint.bonferroni = json.at("bonferroni");
  joint.benjamini_hochberg = json.at("benjamini_hochberg");
  joint.inflation = json.at("inflation");
  joint.rows = json.at("rows");
  if (const auto found = json.find("encoding"); found != json.end())
    joint.encoding = LabelEncoding{found->at("correlation"), interval(*found), found->at("rows")};
  return joint;
}

stats::Negatives negatives_in(const Json& json) {
  stats::Negatives found;
  found.rows = json.at("rows");
  found.chi2 = optional_number(json, "chi2");
  const Json& line = json.at("line");
  for (std::size_t i = 0; i < line.at("chi2").size(); ++i) {
    found.line.push_back({line.at("chi2")[i],
                          line.at("logits")[i],
                          {line.at("low")[i].get<double>(), line.at("high")[i].get<double>()}});
  }
  for (const Json& one : json.at("strata"))
    found.strata.push_back({one.at("name"), one.at("rows"), one.at("logits"), interval(one), one.at("p")});
  return found;
}

stats::NormalLaw law_in(const Json& json) {
  const double sd = json.at("sd");
  return {.mean = json.at("mean"), .variance = sd * sd};
}

Accuracy accuracy_in(const Json& json, const Json& scores) {
  Accuracy accuracy;
  accuracy.held_out = json.at("held_out");
  accuracy.interval = interval(json);
  accuracy.auc = json.at("auc");
  accuracy.auc_interval = interval(json, "auc_low", "auc_high");
  accuracy.predicted = json.at("predicted");
  accuracy.threshold = json.at("threshold");
  accuracy.random = law_in(json.at("random"));
  accuracy.of_concept = law_in(json.at("concept"));
  scores.at("random").get_to(accuracy.random_scores);
  scores.at("concept").get_to(accuracy.concept_scores);
  return accuracy;
}

Significance significance_in(const Json& json) {
  Significance found;
  found.use_p = json.at("use_p");
  found.bonferroni = json.at("bonferroni");
  found.benjamini_hochberg = json.at("benjamini_hochberg");
  found.max_t = optional_number(json, "max_t");
  found.differs_p = json.value("differs_p", 1.0);
  found.welch_p = json.value("welch_p", 1.0);
  return found;
}

// A factor is known by what it makes of the largest number.
Equivalence equivalence_in(const Json& json, const FromExamples& examples, Index n_class) {
  Equivalence found;
  found.bound = json.at("bound");
  found.p = json.at("p");
  found.bonferroni = json.at("bonferroni");
  found.benjamini_hochberg = json.at("benjamini_hochberg");
  const std::string word = json.at("verdict");
  for (const UseVerdict verdict : {UseVerdict::kUsed, UseVerdict::kNotBeyond})
    if (name(verdict) == word) found.verdict = verdict;
  if (const Json& decides = json.at("decides"); !decides.is_null()) {
    // The largest factor that gives these whole numbers.
    double factor = HUGE_VAL;
    const auto add = [&](const char* key, Index n) {
      if (n > 0) factor = std::min(factor, decides.at(key).get<double>() / static_cast<double>(n));
    };
    add("n_concept", examples.n_concept);
    add("n_random", examples.n_random);
    add("n_class", n_class);
    found.factor = factor * (1 - 1e-12);
  }
  return found;
}

FromExamples examples_in(const Json& json, bool label) {
  FromExamples examples;
  examples.n_concept = json.at("n_concept");
  examples.n_random = json.at("n_random");
  examples.sigma_effective = json.at("sigma_effective");
  examples.alpha_star = number(json.at("alpha"), "star");
  examples.alpha_dagger = number(json.at("alpha"), "dagger");
  const Json& posterior = json.at("posterior");
  examples.flat_posterior = posterior.at("flat");
  examples.empirical_bayes = posterior.at("empirical_bayes");
  examples.tau_squared = posterior.at("tau_squared");
  examples.shared_posterior = posterior.value("shared", 0.0);
  if (!label) {
    const Json& multi = json.at("multi_tcav");
    examples.multi = {multi.at("runs"),   multi.at("mean"),       multi.at("sd"),
                      multi.at("scores"), multi.at("alpha_tcav"), multi.at("gamma")};
    const Json& laws = json.at("laws");
    examples.laws = {laws.at("two_peaks"), laws.at("skewness"), laws.at("excess_kurtosis"),
                     laws.at("normal")};
    const Json& stability = json.at("stability");
    examples.stability = {stability.at("cosine"), optional_number(stability, "relative_variance"),
                          optional_number(stability, "split_half")};
    examples.extrapolated = json.at("extrapolated");
    examples.accuracy = accuracy_in(json.at("accuracy"), json.at("held_out_scores"));
  }
  examples.significance = significance_in(json.at("significance"));
  const Json& some = json.at("some_inputs");
  examples.some_inputs = {some.at("p"), some.at("bonferroni"), some.at("benjamini_hochberg")};
  examples.equivalence = equivalence_in(json.at("equivalence"), examples, json.at("n_class"));
  const Json& profile = json.at("profile");
  for (std::size_t i = 0; i < profile.at("low").size(); ++i)
    examples.profile_intervals.push_back({profile["low"][i].get<double>(), profile["high"][i].get<double>()});
  json.at("sensitivity_errors").get_to(examples.sensitivity_errors);
  return examples;
}

FromInputs given_in(const Json& json) {
  const Json& tests = json.at("significance");
  const Json& baseline = json.at("baseline");
  return {tests.at("bonferroni"),
          tests.at("benjamini_hochberg"),
          {baseline.at("logits"), baseline.at("p"), baseline.at("bonferroni"),
           baseline.at("benjamini_hochberg"), baseline.at("drawn"), baseline.at("significant")}};
}

LogitDifference logits_in(const Json& json) {
  return {json.at("difference"), interval(json),       json.at("p"),
          json.at("random_sd"),  json.at("n_concept"), json.at("n_random")};
}

template <typename Value>
void read_list(const Json& json, std::vector<Value>& values, double infinity = HUGE_VAL) {
  values.clear();
  for (const Json& value : json)
    values.push_back(value.is_null() ? static_cast<Value>(infinity) : value.get<Value>());
}

DoseResponse response_in(const Json& json) {
  DoseResponse found;
  found.inputs = json.at("inputs");
  read_list(json.at("odd"), found.odd);
  read_list(json.at("low"), found.low, -HUGE_VAL);
  read_list(json.at("high"), found.high);
  read_list(json.at("p"), found.p);
  read_list(json.at("bonferroni"), found.bonferroni);
  read_list(json.at("benjamini_hochberg"), found.benjamini_hochberg);
  read_list(json.at("error").at("inputs"), found.error_inputs);
  read_list(json.at("error").at("examples"), found.error_examples);
  read_list(json.at("even"), found.even);
  read_list(json.at("even_low"), found.even_low, -HUGE_VAL);
  read_list(json.at("even_high"), found.even_high);
  read_list(json.at("rank"), found.rank);
  return found;
}

Intervention intervention_in(const Json& json) {
  Intervention found;
  found.of_class = response_in(json.at("class"));
  if (const auto random = json.find("random"); random != json.end()) found.random = response_in(*random);
  found.classes = json.at("classes");
  found.ratio = number(json, "ratio");
  return found;
}

MeanAndSd spread_in(const Json& json) { return {json.at("mean"), json.at("sd")}; }

Erasure erasure_in(const Json& json) {
  Erasure found;
  found.inputs = json.at("inputs");
  found.eraser = json.at("eraser");
  found.change = json.at("change");
  found.interval = interval(json);
  found.rank = json.at("rank");
  found.top1_before = optional_number(json, "top1_before");
  found.top1_after = optional_number(json, "top1_after");
  if (!json.contains("p")) return found;  // of several concepts together
  found.p = json.at("p");
  found.bonferroni = json.at("bonferroni");
  found.benjamini_hochberg = json.at("benjamini_hochberg");
  found.error_inputs = json.at("error").at("inputs");
  found.error_examples = json.at("error").at("examples");
  found.share = spread_in(json.at("share"));
  if (const auto control = json.find("control"); control != json.end()) found.control = spread_in(*control);
  return found;
}

atcav::Verdict verdict_in(const Json& json) {
  atcav::Verdict verdict;
  verdict.use = use_of(json.at("use"));
  json.at("text").get_to(verdict.text);
  verdict.agrees = json.at("agrees");
  for (const Json& line : json.at("evidence")) {
    verdict.evidence.push_back(
        {line.at("line"), number(line, "logits"), interval(line), use_of(line.at("says")), line.at("text")});
  }
  return verdict;
}

ScoreInterval score_interval(const Json& json) {
  return {interval(json), static_cast<IntervalKind>(place_of(kIntervalNames, json.at("method"))),
          number(json, "standard_error")};
}

Result result_in(const Json& json) {
  Result result;
  json.at("concept").get_to(result.concept_name);
  json.at("class").get_to(result.class_name);
  json.at("layer").get_to(result.layer);
  result.tensor = json.value("tensor", "");
  json.at("cav").get_to(result.cav);
  result.dimension = json.at("d");
  result.n_class = json.at("n_class");
  const bool examples = json.contains("n_concept");
  if (const auto label = json.find("label"); label != json.end())
    result.label = LabelFacts{label->at("values") == "numbers", label->at("rows"), label->at("sd")};
  if (examples) result.examples = examples_in(json, result.label.has_value());
  result.effect = effect_in(json.at("effect"), examples);
  if (!examples) result.given = given_in(json);
  if (examples) {
    result.step = json.at("effect").at("step");
    result.effect.p = result.examples->significance.use_p;
  }
  if (const auto joint = json.find("joint"); joint != json.end()) result.joint = joint_in(*joint);
  if (const auto groups = json.find("groups"); groups != json.end()) {
    result.groups = GroupCounts{};
    if (groups->contains("examples")) result.groups->examples = groups->at("examples").get<Index>();
    if (groups->contains("inputs")) result.groups->inputs = groups->at("inputs").get<Index>();
  }
  if (const auto found = json.find("negatives"); found != json.end()) result.negatives = negatives_in(*found);
  if (json.contains("top_share")) result.top_share = json["top_share"].get<double>();
  result.tcav = json.at("tcav");
  result.magnitude = json.at("magnitude");
  result.zero_share = json.at("zero_share");
  result.gamma = json.at("gamma");
  json.at("alpha_tcav").get_to(result.alpha_tcav);
  json.at("interval").at("of").get_to(result.headline);
  for (const auto& [key, one] : json.at("intervals").items()) result.intervals[key] = score_interval(one);
  result.error_inputs = json.at("standard_error").at("inputs");
  if (const auto found = json.find("logits"); found != json.end()) result.logits = logits_in(*found);
  if (const auto found = json.find("intervention"); found != json.end())
    result.intervention = intervention_in(*found);
  if (const auto found = json.find("erasure"); found != json.end()) result.erasure = erasure_in(*found);
  if (const auto found = json.find("region"); found != json.end()) result.region = region_in(*found);
  result.verdict = verdict_in(json.at("verdict"));
  json.at("profile").at("alpha").get_to(result.profile.alpha);
  json.at("profile").at("score").get_to(result.profile.score);
  json.at("sensitivities").get_to(result.sensitivities);
  json.at("warnings").get_to(result.warnings);
  return result;
}

SpeaksFor speaks_for_in(const Json& json) {
  SpeaksFor found;
  json.at("concept").get_to(found.concept_name);
  json.at("layer").get_to(found.layer);
  for (const auto& [key, list] : {std::pair("most", &found.most), std::pair("least", &found.least)}) {
    for (const Json& one : json.at(key)) list->push_back({one.at("class"), one.at("name"), one.at("odd")});
  }
  return found;
}

Entanglement entanglement_in(const Json& json) {
  Entanglement found;
  json.at("layer").get_to(found.layer);
  json.at("concepts").get_to(found.concepts);
  const auto size = std::ssize(found.concepts);
  found.cosines.resize(size, size);
  for (Index r = 0; r < size; ++r) {
    for (Index c = 0; c < size; ++c) found.cosines(r, c) = json.at("cosines").at(r).at(c);
  }
  return found;
}

std::vector<std::string> option_texts(const Json& value) {
  if (!value.is_array()) return {value.is_string() ? value.get<std::string>() : value.dump()};
  std::vector<std::string> texts;
  for (const Json& one : value) texts.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  return texts;
}

Options options_in(const Json& json) {
  Config config;
  for (const auto& [name, value] : json.at("options").items()) {
    std::string key = name;
    std::ranges::replace(key, '_', '-');
    find_option(key).set(config, option_texts(value));
  }
  config.options.seed = json.at("seed");
  return config.options;
}

RunResult run_in(const Json& json) {
  RunResult run;
  json.at("command").get_to(run.command);
  run.options = options_in(json);
  json.at("libraries").get_to(run.libraries);
  run.setup = json.value("config", "");
  if (json.contains("notes")) json["notes"].get_to(run.notes);
  if (json.contains("reading")) {
    run.reading = reading_in(json["reading"]);
    run.options.until = run.reading->until;  // which intervals depend on
  }
  for (const Json& input : json.at("inputs")) {
    run.inputs.push_back(
        {read_role(input.at("role")), input.at("path"), input.at("sha256"), input.at("shape")});
  }
  for (const Json& one : json.at("results")) run.results.push_back(result_in(one));
  for (const Json& one : json.at("results")) {
    const double level = one.at("interval").at("level");
    if (!one.contains("label") && level != run.options.level) run.scores_level = level;
  }
  for (const Json& one : json.value("speaks_for", Json::array()))
    run.speaks_for.push_back(speaks_for_in(one));
  for (const Json& one : json.value("erased_together", Json::array()))
    run.erased_together.push_back({one.at("layer"), one.at("class"), one.at("concepts"), erasure_in(one)});
  for (const Json& one : json.value("explained", Json::array())) run.explained.push_back(explained_in(one));
  for (const Json& one : json.at("entanglement")) run.entanglement.push_back(entanglement_in(one));
  return run;
}

}  // namespace

RunResult read_results(const std::string& text, const std::string& name) {
  try {
    return run_in(Json::parse(text));
  } catch (const std::logic_error& error) {  // a bad option or role
    data::fail_file("results", name, "is no results.json of this version of atcav: {}", error.what());
  } catch (const Json::exception& error) {
    data::fail_file("results", name, "is no results.json of this version of atcav: {}", error.what());
  }
}

}  // namespace atcav::report
