#include "report/result_fields.h"

#include <algorithm>
#include <cmath>

#include "pipeline/score_laws.h"
#include "report/network_fields.h"
#include "report/words.h"

namespace atcav::report {
namespace {

constexpr std::array kIntervalNames = {"delta", "jackknife", "bootstrap", "bound", "inputs"};  // IntervalKind
constexpr std::array kUseNames = {"for", "against", "none"};                                   // Use
constexpr std::array kVerdictNames = {"used", "not beyond", "undecided"};                      // UseVerdict
constexpr std::array kLabelKinds = {"0/1", "numbers"};

void describe_d(auto& json, stats::Effect& effect) {
  json("d", effect.d);
  json.ends(effect.d_interval, "d_low", "d_high");
}

void describe_score_interval(auto& json, ScoreInterval& interval, double level) {
  json.only_written("level", level);
  json.word("method", interval.kind, kIntervalNames);
  json.only_written("approximate", interval.kind != IntervalKind::kBound);
  json.ends(interval.interval);
}

}  // namespace

void describe(auto& json, stats::Effect::Standardised& part) {
  json("value", part.value);
  json.ends(part.interval);
}

void describe(auto& json, LabelFacts& label) {
  json.word("values", label.numbers, kLabelKinds);
  json("rows", label.rows);
  json("sd", label.sd);
}

void describe(auto& json, LabelEncoding& encoding) {
  json("correlation", encoding.correlation);
  json.ends(encoding.interval);
  json("rows", encoding.rows);
}

// Of a label with all others held fixed.
void describe(auto& json, JointEffect& joint) {
  auto& effect = joint.effect;
  json("logits", effect.logits);
  json.ends(effect.interval);
  describe_d(json, effect);
  json.within("error", [&](auto& error) {
    error("examples", effect.error_examples);
    error("inputs", effect.error_inputs);
  });
  json("df", effect.degrees);
  json("use_p", effect.p);
  json("bonferroni", joint.bonferroni);
  json("benjamini_hochberg", joint.benjamini_hochberg);
  json("inflation", joint.inflation);
  json("rows", joint.rows);
  json.if_any("encoding", joint.encoding);
}

void describe(auto& json, GroupCounts& groups) {
  json.if_any("examples", groups.examples);
  json.if_any("inputs", groups.inputs);
}

void describe(auto& json, stats::Stratum& stratum) {
  json("name", stratum.name);
  json("rows", stratum.rows);
  json("logits", stratum.logits);
  json.ends(stratum.interval);
  json("p", stratum.p);
}

void describe(auto& json, stats::Negatives& negatives) {
  json("rows", negatives.rows);
  json("chi2", negatives.chi2);
  json.within("line", [&](auto& columns) {
    columns.column(
        "chi2", negatives.line, [](auto& point) -> auto& { return point.chi2; });
    columns.column(
        "logits", negatives.line, [](auto& point) -> auto& { return point.logits; });
    columns.column(
        "low", negatives.line, [](auto& point) -> auto& { return point.interval.low; });
    columns.column(
        "high", negatives.line, [](auto& point) -> auto& { return point.interval.high; });
  });
  json("strata", negatives.strata);
}

void describe(auto& json, MultiTcav& multi) {
  json("runs", multi.runs);
  json("mean", multi.mean);
  json("sd", multi.sd);
  json("scores", multi.scores);
  json("gamma", multi.gamma);
  json("alpha_tcav", multi.alpha_tcav);
}

void describe(auto& json, ScoreLaws& laws) {
  json("two_peaks", laws.two_peaks);
  json("skewness", laws.skewness);
  json("excess_kurtosis", laws.excess_kurtosis);
  json("normal", laws.normal);
}

void describe(auto& json, DirectionStability& stability) {
  json("cosine", stability.cosine);
  json("relative_variance", stability.relative_variance);
  json("split_half", stability.split_half);
}

void describe(auto& json, stats::NormalLaw& law) {
  double sd = std::sqrt(law.variance);
  json("mean", law.mean);
  json("sd", sd);
  if constexpr (kReads<decltype(json)>) law.variance = sd * sd;
}

void describe(auto& json, Accuracy& accuracy) {
  json("held_out", accuracy.held_out);
  json.ends(accuracy.interval);
  json("auc", accuracy.auc);
  json.ends(accuracy.auc_interval, "auc_low", "auc_high");
  json.only_written("approximate", true);
  json("predicted", accuracy.predicted);
  json("threshold", accuracy.threshold);
  json("random", accuracy.random);
  json("concept", accuracy.of_concept);
}

void describe(auto& json, Significance& significance) {
  json.only_written("over", "examples and inputs");
  json("use_p", significance.use_p);
  json("bonferroni", significance.bonferroni);
  json("benjamini_hochberg", significance.benjamini_hochberg);
  json("max_t", significance.max_t);
}

void describe(auto& json, SomeInputs& test) { describe_p(json, test); }

void describe(auto& json, FromInputs::Baseline& baseline) {
  describe_p(json, baseline);
  json("logits", baseline.logits);
  json("drawn", baseline.drawn);
  json("significant", baseline.significant);
}

void describe(auto& json, EvidenceLine& line) {
  json("line", line.line);
  json("logits", line.logits);
  json.ends(line.interval);
  json.word("says", line.says, kUseNames);
  json("text", line.text);
}

void describe(auto& json, atcav::Verdict& verdict) {
  json("text", verdict.text);
  json.word("use", verdict.use, kUseNames);
  json("agrees", verdict.agrees);
  json("evidence", verdict.evidence);
}

namespace {

// Of a given direction only what the inputs tell.
void describe_effect(auto& json, Result& result) {
  auto& effect = result.effect;
  json("logits", effect.logits);
  json.ends(effect.interval);
  if (!result.examples) {
    json.within("error", [&](auto& error) { error("inputs", effect.error_inputs); });
    json("df", effect.degrees);
    json("inputs_p", effect.p);
    return;
  }
  describe_d(json, effect);
  json.within("error", [&](auto& error) {
    const bool by_set = effect.error_concept > 0 || effect.error_random > 0;
    for (const auto& [key, of_set] :
         {std::pair("concept", &effect.error_concept), std::pair("random", &effect.error_random)}) {
      if (kReads<decltype(json)> || by_set)
        error(key, *of_set, 0);
      else
        error.only_written(key, nullptr);
    }
    error("examples", effect.error_examples);
    error("inputs", effect.error_inputs);
  });
  json("df", effect.degrees);
  json("standardised", effect.standardised);
  json("simultaneous", effect.simultaneous);
  json("step", result.step);
}

void describe_equivalence(auto& json, Result& result) {
  auto& examples = *result.examples;
  auto& found = examples.equivalence;
  json("bound", found.bound);
  describe_p(json, found);
  json.word("verdict", found.verdict, kVerdictNames);
  // What nobody has is not a plan.
  if (json.is_null("decides", !found.factor || *found.factor >= 1e6)) return;
  double least = HUGE_VAL;  // a factor is known by what it makes of whole numbers
  json.within("decides", [&](auto& plan) {
    for (const auto& [key, n] :
         {std::pair("n_concept", examples.n_concept), std::pair("n_random", examples.n_random),
          std::pair("n_class", result.n_class)}) {
      auto times = static_cast<Index>(std::ceil(found.factor.value_or(0) * static_cast<double>(n)));
      plan(key, times);
      if (n > 0) least = std::min(least, static_cast<double>(times) / static_cast<double>(n));
    }
  });
  if constexpr (kReads<decltype(json)>) found.factor = least * (1 - 1e-12);
}

// What rests on fits to parts of the examples; a label has none of it.
void describe_refits(auto& json, FromExamples& examples) {
  json("laws", examples.laws);
  json("stability", examples.stability);
  json("extrapolated", examples.extrapolated);
  json("accuracy", examples.accuracy);
  json.within("held_out_scores", [&](auto& scores) {
    scores("random", examples.accuracy.random_scores);
    scores("concept", examples.accuracy.concept_scores);
  });
}

void describe_significance(auto& json, Result& result) {
  auto& examples = *result.examples;
  json.within("significance", [&](auto& tests) {
    describe(tests, examples.significance);
    if (result.label) return;
    tests("differs_p", examples.significance.differs_p);
    tests("welch_p", examples.significance.welch_p);
    tests.only_written("welch_note", "too optimistic: runs that share the concept's examples are correlated");
  });
  json("some_inputs", examples.some_inputs);
  json.within("equivalence", [&](auto& part) { describe_equivalence(part, result); });
}

// What could be drawn anew are the inputs alone.
void describe_given(auto& json, Result& result) {
  auto& given = *result.given;
  json.within("significance", [&](auto& tests) {
    tests.only_written("over", "inputs");
    tests("use_p", result.effect.p);
    tests("bonferroni", given.bonferroni);
    tests("benjamini_hochberg", given.benjamini_hochberg);
    tests.only_written("max_t", nullptr);
  });
  json("baseline", given.baseline);
}

void describe_posterior(auto& json, Result& result) {
  auto& examples = *result.examples;
  json.within("posterior", [&](auto& posterior) {
    posterior("flat", examples.flat_posterior);
    posterior("empirical_bayes", examples.empirical_bayes);
    if (!result.label) posterior("shared", examples.shared_posterior);
    posterior("tau_squared", examples.tau_squared);
    posterior.only_written("calibrated", examples.posteriors_calibrated());
  });
  if (!result.label) json("multi_tcav", examples.multi);
}

void describe_intervals(auto& json, Result& result, double level) {
  json.within("interval", [&](auto& headline) {
    if constexpr (!kReads<decltype(json)>)
      describe_score_interval(headline, result.intervals.at(result.headline), level);
    headline("of", result.headline);
  });
  json.within("standard_error", [&](auto& error) {
    if constexpr (!kReads<decltype(json)>)
      if (result.examples) error.only_written("cav", result.intervals.at(result.headline).standard_error);
    error("inputs", result.error_inputs);
  });
  json.entries("intervals", result.intervals, [&](auto& one, auto& interval) {
    describe_score_interval(one, interval, level);
    one("standard_error", interval.standard_error);
  });
}

void describe_profile(auto& json, Result& result) {
  json.within("profile", [&](auto& profile) {
    profile("alpha", result.profile.alpha);
    profile("score", result.profile.score);
    if (!result.examples) return;
    auto& intervals = result.examples->profile_intervals;
    if constexpr (!kReads<decltype(json)>) profile.only_written("reading", name(read_profile(result)));
    profile.column(
        "high", intervals, [](auto& interval) -> auto& { return interval.high; });
    profile.column(
        "low", intervals, [](auto& interval) -> auto& { return interval.low; });
  });
}

void describe_network(auto& json, Result& result) {
  json.if_any("logits", result.logits);
  json.if_any("intervention", result.intervention);
  json.if_any("erasure", result.erasure);
  json.if_any("region", result.region);
}

void describe_names(auto& json, Result& result) {
  json("concept", result.concept_name);
  json("class", result.class_name);
  json("layer", result.layer);
  json.unless_empty("tensor", result.tensor);
  json("cav", result.cav);
  json("d", result.dimension);
  if constexpr (kReads<decltype(json)>) {
    if (json.has("n_concept"))
      result.examples.emplace();
    else
      result.given.emplace();
  }
  if (result.examples) {
    json("n_concept", result.examples->n_concept);
    json("n_random", result.examples->n_random);
  }
  json("n_class", result.n_class);
}

void describe_result(auto& json, Result& result, double level) {
  describe_names(json, result);
  json.within("effect", [&](auto& effect) { describe_effect(effect, result); });
  json.if_any("label", result.label);
  json.if_any("joint", result.joint);
  json.if_any("groups", result.groups);
  json.if_any("negatives", result.negatives);
  json.if_any("top_share", result.top_share);
  json("tcav", result.tcav);
  json("magnitude", result.magnitude);
  json("zero_share", result.zero_share);
  json("gamma", result.gamma);
  if (result.examples) {
    json("sigma_effective", result.examples->sigma_effective);
    json.within("alpha", [&](auto& alpha) {
      alpha("star", result.examples->alpha_star);
      alpha("dagger", result.examples->alpha_dagger);
    });
  }
  json("alpha_tcav", result.alpha_tcav);
  if (result.examples) describe_posterior(json, result);
  describe_intervals(json, result, level);
  if (result.examples) {
    if (!result.label) describe_refits(json, *result.examples);
    describe_significance(json, result);
  }
  if (result.given) describe_given(json, result);
  describe_network(json, result);
  json("verdict", result.verdict);
  describe_profile(json, result);
  json("sensitivities", result.sensitivities);
  if (result.examples) json("sensitivity_errors", result.examples->sensitivity_errors);
  json("warnings", result.warnings);
}

}  // namespace

Json result_json(const Result& result, double level) {
  JsonWriter writer;
  describe_result(writer, const_cast<Result&>(result), level);
  return std::move(writer.json);
}

Result result_in(const Json& json) {
  Result result;
  JsonReader reader(json);
  describe_result(reader, result, 0);
  if (result.examples) result.effect.p = result.examples->significance.use_p;
  return result;
}

}  // namespace atcav::report
