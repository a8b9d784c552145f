#include "pipeline/score_label.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "atcav/interval.h"
#include "atcav/random.h"
#include "pipeline/score_parts.h"
#include "pipeline/warnings.h"
#include "stats/refit_scores.h"

namespace atcav {
namespace {

constexpr Index kDraws = 400;

Matrix normal_draws(const LabelEvidence& evidence) {
  const Index m = evidence.sensitivities.size();
  // Examples may be fewer than inputs: then the covariance is singular.
  constexpr double kRounding = 1e-10;
  Matrix covariance = evidence.covariance;
  covariance.diagonal().array() += kRounding * covariance.diagonal().maxCoeff();
  const Eigen::LLT<Matrix> factor(covariance);
  Matrix draws = Eigen::Map<const Matrix>(evidence.draws->data(), kDraws, m);
  if (factor.info() == Eigen::Success)
    draws *= Matrix(factor.matrixU());
  else
    draws.setZero();  // no noise at all
  return draws.rowwise() + evidence.sensitivities.transpose();
}

class LabelIntervals {
 public:
  LabelIntervals(const LabelEvidence& evidence, const Options& options)
      : evidence_(evidence), options_(options), draws_(normal_draws(evidence)), scores_(draws_) {}

  ScoreInterval of(const stats::ScoreRule& rule, double value) const {
    if (is_steep(rule) || options_.interval == IntervalMethod::kBootstrap) return from_draws(rule);
    const Vector gradient = stats::score_gradient(evidence_.sensitivities, rule);
    const double error = std::sqrt(std::max(0.0, gradient.dot(evidence_.covariance * gradient)));
    return {stats::normal_interval(value, error, options_.level), IntervalKind::kDelta, error};
  }

  ScoreInterval of_tcav(const Vector& errors) const {
    return {stats::positive_share_interval(evidence_.sensitivities, errors, draws_, options_.level),
            IntervalKind::kBound, from_draws(stats::indicator_rule()).standard_error};
  }

 private:
  ScoreInterval from_draws(const stats::ScoreRule& rule) const {
    const Vector scores = scores_.of(rule);
    const double sd = stats::mean_error(scores) * std::sqrt(static_cast<double>(kDraws));
    return {stats::percentile_interval({scores.begin(), scores.end()}, options_.level),
            IntervalKind::kBootstrap, sd};
  }

  const LabelEvidence& evidence_;
  const Options& options_;
  Matrix draws_;
  stats::RefitScores scores_;
};

}  // namespace

Matrix label_draws(const std::string& label, Index inputs, std::uint64_t seed) {
  return Stream(seed, {kTaskBootstrap, key_word(label)}).normal_matrix(kDraws, inputs);
}

Result score_label(const LabelEvidence& evidence, const Options& options) {
  const Vector errors = evidence.covariance.diagonal().cwiseSqrt();
  const Rules rules = score_rules(options, options.runs, errors);
  Result result = sensitivity_scores(evidence.sensitivities, rules,
                                     options.alpha.empty() ? "dagger" : alpha_text(options.alpha.front()));
  result.cav = stats::name(options.cav.method);
  result.label = evidence.facts;
  result.effect = evidence.effect;
  result.examples =
      example_scores(evidence.sensitivities, errors, evidence.with, evidence.without, options, options.runs);
  result.examples->significance.use_p = evidence.effect.p;
  result.examples->equivalence = {.bound = options.negligible,
                                  .p = stats::equivalence_p(evidence.effect, options.negligible)};
  result.examples->some_inputs.p = stats::some_inputs_p(evidence.sensitivities, evidence.covariance,
                                                        std::max(1.0, evidence.effect.degrees));
  const LabelIntervals intervals(evidence, options);
  for (const auto& [key, rule] : rules) result.intervals[key] = intervals.of(rule, result.alpha_tcav[key]);
  result.intervals["tcav"] = intervals.of_tcav(errors);
  for (std::size_t i = 0; i < result.profile.alpha.size(); ++i) {
    result.examples->profile_intervals.push_back(
        intervals.of(stats::alpha_rule(result.profile.alpha[i]), result.profile.score[i]).interval);
  }
  result.warnings = warnings_of(result, evidence.zero_gradients, options);
  return result;
}

}  // namespace atcav
