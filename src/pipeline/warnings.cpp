#include "pipeline/warnings.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace atcav {
namespace {

// Below this the 1e-8 in γ is no longer negligible (1 % of it).
constexpr double kTinyGamma = 1e-6;

class Warnings {
 public:
  template <typename... Values>
  void add(bool when, fmt::format_string<Values...> text, Values&&... values) {
    if (when) list.push_back(fmt::format(text, std::forward<Values>(values)...));
  }
  std::vector<std::string> list;
};

void add_sensitivity_warnings(Warnings& warn, const Result& result, Index zero_gradients) {
  const bool all_zero = result.zero_share == 1;
  const bool no_gradient = zero_gradients == result.n_class;
  warn.add(all_zero && no_gradient,
           "every gradient is zero: the logit does not depend on this layer for these inputs");
  warn.add(all_zero && !no_gradient,
           "every sensitivity is zero: the concept's direction is zero or orthogonal to all gradients");
  warn.add(!all_zero && zero_gradients > 0, "{} of {} inputs have a zero gradient", zero_gradients,
           result.n_class);
  warn.add(!all_zero && result.zero_share > 0,
           "{:.1f} % of the sensitivities are exactly zero: TCAV counts them as not positive",
           100 * result.zero_share);
  warn.add(!all_zero && result.gamma < kTinyGamma,
           "sensitivities are tiny (gamma {:.2g}): the 1e-8 in gamma pulls scores with a fixed alpha to 1/2",
           result.gamma);
  warn.add(!all_zero && result.tcav == 1,
           "saturated: all {} inputs have a positive sensitivity, so TCAV cannot tell how strong it is",
           result.n_class);
  warn.add(
      !all_zero && result.tcav == 0,
      "saturated: none of the {} inputs has a positive sensitivity, so TCAV cannot tell how strong it is",
      result.n_class);
  warn.add(result.n_class == 1, "one class input: the spread over inputs cannot be estimated");
}

void add_few_examples(Warnings& warn, const Result& result) {
  constexpr Index kFew = 10;
  const FromExamples& examples = *result.examples;
  if (!result.label) {
    warn.add(examples.n_concept < kFew || examples.n_random < kFew,
             "few examples ({} concept, {} random): intervals rest on large-sample theory",
             examples.n_concept, examples.n_random);
  } else if (result.label->numbers) {
    warn.add(result.label->rows < 2 * kFew, "few examples ({}): intervals rest on large-sample theory",
             result.label->rows);
  } else {
    warn.add(std::min(examples.n_concept, examples.n_random) < kFew,
             "few examples ({} with the label, {} without): intervals rest on large-sample theory",
             examples.n_concept, examples.n_random);
  }
}

// The test of a mean over inputs takes it for a t: where the inputs' own part counts and few of them make it,
// it alarms too often (docs/theory/significance.md). `what` is skewed, `test` alarms.
struct MeanOverInputs {
  const char* what;
  const char* test;
  Index inputs;
  double skewness;
  double error_inputs;
  double error_examples;
  double p;
};
void add_skewness_warnings(Warnings& warn, const MeanOverInputs& mean, double alpha) {
  constexpr Index kFewInputs = 30;
  constexpr double kSkewed = 1;
  constexpr double kLeftInMean = 0.15;  // skewness of the mean
  const double inputs = mean.error_inputs * mean.error_inputs;
  const double share = inputs > 0 ? inputs / (inputs + mean.error_examples * mean.error_examples) : 0;
  const bool skewed = share > 0.25 && std::abs(mean.skewness) > kSkewed &&
                      std::abs(mean.skewness) > kLeftInMean * std::sqrt(static_cast<double>(mean.inputs));
  warn.add(skewed,
           "{} skewed over the {} inputs (skewness {:+.1f}): few of them carry the mean, and {} alarms too "
           "often; look at them, or take more inputs",
           mean.what, mean.inputs, mean.skewness, mean.test);
  // Of a kind that is one in m/3, m inputs hold none in one drawing of twenty.
  warn.add(!skewed && mean.p < alpha && mean.inputs > 1 && mean.inputs < kFewInputs,
           "{} inputs may hold none of a kind that one in {} belongs to: {} takes them for evenly spread",
           mean.inputs, std::max<Index>(2, mean.inputs / 3), mean.test);
}

// docs/theory/distribution.md says what is left of α*, α† and posteriors then.
void add_shape_warnings(Warnings& warn, const Result& result) {
  const ScoreLaws& laws = result.examples->laws;
  warn.add(
      !laws.normal,
      "with other examples the sensitivities would not scatter normally (skewness {:.1f}, excess kurtosis "
      "{:.1f}, medians over inputs): alpha star may be 0.1 from Multi-TCAV's mean, which "
      "stands beside it; take more examples, and --interval bootstrap",
      laws.skewness, laws.excess_kurtosis);
}

}  // namespace

double skewness_of(const VectorRef& values) {
  if (values.size() == 0) return 0;
  const Eigen::ArrayXd around = values.array() - values.mean();
  const double second = around.square().mean();
  return second > 0 ? around.cube().mean() / (second * std::sqrt(second)) : 0;
}

std::vector<std::string> warnings_of(const Result& result, Index zero_gradients, const Options& options) {
  Warnings warn;
  add_sensitivity_warnings(warn, result, zero_gradients);
  if (!result.examples) return warn.list;
  const stats::Effect& effect = result.effect;
  const Eigen::Map<const Vector> sensitivities(result.sensitivities.data(), std::ssize(result.sensitivities));
  add_skewness_warnings(warn,
                        {"the sensitivities are", "the test of use", result.n_class,
                         skewness_of(sensitivities), effect.error_inputs, effect.error_examples, effect.p},
                        1 - options.level);
  const FromExamples& examples = *result.examples;
  warn.add(
      std::isinf(examples.alpha_dagger),
      "all sensitivities are equal: alpha star and dagger are infinite and their scores are the sign alone; "
      "read the effect");
  warn.add(!result.label && examples.multi.runs < options.runs,
           "too few examples for {} runs: Multi-TCAV and alpha star use {}", options.runs,
           examples.multi.runs);
  add_few_examples(warn, result);
  warn.add(!result.effect.d && result.effect.logits != 0,
           "d is undefined: random examples do not move the logit, so there is nothing to measure the effect "
           "by; read the logits");
  if (result.label) return warn.list;
  const Accuracy::Deciding deciding = examples.accuracy.deciding();
  warn.add(!examples.accuracy.encoded(),
           "not shown to be encoded at this layer: held-out {} {:.2f} ({:.2f} to {:.2f}), chance is 0.50",
           deciding.name, deciding.value, deciding.interval.low, deciding.interval.high);
  add_shape_warnings(warn, result);
  const Significance& p = examples.significance;
  warn.add(p.welch_p < 1 - options.level && p.use_p >= 1 - options.level,
           "the usual t-test over runs (p = {:.2g}) is too optimistic, because its runs share the concept's "
           "examples; the test of use, which counts them, gives p = {:.2g}",
           p.welch_p, p.use_p);
  return warn.list;
}

std::vector<std::string> row_warnings(const Result& result, const stats::RandomSpread& random,
                                      const stats::RandomSpread& of_concept) {
  // Of the error of a one-sample t-test's level, which goes with skewness²/n.
  constexpr double kMostSkewed = 0.2;
  Warnings warn;
  warn.add(result.effect.few_rows.has_value(),
           "about {:.0f} of the {} random examples carry what d is measured in: its interval and its verdict "
           "are approximate; read the logits",
           result.effect.few_rows.value_or(0), random.count);
  const auto add = [&](const stats::RandomSpread& set, const char* role) {
    const auto n = static_cast<double>(set.count);
    warn.add(
        set.skewness * set.skewness / n > kMostSkewed,
        "few of the {} {} examples carry the effect (skewness {:+.1f}): its interval and the test of use "
        "are approximate",
        set.count, role, set.skewness);
  };
  add(of_concept, "concept");
  add(random, "random");
  warn.add(of_concept.variance == 0 && random.variance > 0 && of_concept.count > 1,
           "the {} concept examples are all alike along the mean gradient: their noise is not known",
           of_concept.count);
  return warn.list;
}

std::string divided_warning(const Result& result) {
  return fmt::format(
      "gradients show no use on average over the {} inputs (p = {:.2g}), but single inputs do use it, in "
      "different "
      "directions ({} corrected): read the sensitivities one by one",
      result.n_class, result.examples->significance.bonferroni,
      result.examples->some_inputs.bonferroni < 0.001
          ? std::string("p < 0.001")
          : fmt::format("p = {:.3f}", result.examples->some_inputs.bonferroni));
}

std::vector<std::string> intervention_warnings(const Result& result, double alpha) {
  Warnings warn;
  const Intervention& found = *result.intervention;
  const auto add = [&](const DoseResponse& response, std::size_t dose, const char* base) {
    warn.add(std::abs(response.even[dose]) > std::abs(response.odd[dose]),
             "intervention on {} at dose {:g}: moving either way changes the logit by {:+.2g}, more than the "
             "direction does ({:+.2g}); the activations leave their usual range",
             base, kDoses[dose], response.even[dose], response.odd[dose]);
  };
  add(found.of_class, 0, "the class inputs");
  if (found.random) add(*found.random, kDoses.size() - 1, "random inputs");
  // The one that the verdict reads.
  const DoseResponse& read = found.random ? *found.random : found.of_class;
  add_skewness_warnings(warn,
                        {"what adding does is", "the test of adding", read.inputs, read.skewness.back(),
                         read.error_inputs.back(), read.error_examples.back(), read.p.back()},
                        alpha);
  return warn.list;
}

std::vector<std::string> erasure_warnings(const Result& result, double alpha) {
  Warnings warn;
  if (!result.erasure) return warn.list;
  const Erasure& found = *result.erasure;
  add_skewness_warnings(warn,
                        {"what taking away does is", "the test of taking away", found.inputs, found.skewness,
                         found.error_inputs, found.error_examples, found.p},
                        alpha);
  return warn.list;
}

std::vector<std::string> top_class_warnings(const Result& result) {
  constexpr double kFew = 0.3;
  Warnings warn;
  warn.add(result.top_share.value_or(1) < kFew,
           "the network's largest logit is this class for {:.0f} % of the class inputs: check the index "
           "(counted from "
           "0) and the preprocessing",
           100 * result.top_share.value_or(1));
  return warn.list;
}

std::vector<std::string> unused_choices(const Options& options) {
  const stats::CavOptions usual = Options{}.cav;
  const stats::CavOptions& cav = options.cav;
  const bool ridge = cav.method == stats::CavMethod::kRidge;
  std::vector<std::string> unused;
  const auto note = [&](const std::string& what, const char* whose) {
    unused.push_back(fmt::format("{} and was not used: that is for {}, and the CAVs are {}", what, whose,
                                 stats::name(cav.method)));
  };
  if (cav.lambda != usual.lambda && !ridge) note(fmt::format("lambda is {}", cav.lambda), "ridge");
  if (cav.centred != usual.centred && !ridge) note("centred is false", "ridge");
  if (cav.cost != usual.cost && (ridge || stats::is_mean_difference(cav.method)))
    note(fmt::format("cost is {}", cav.cost), "logistic and svm");
  return unused;
}

}  // namespace atcav
