#include "atcav/run/analyse.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "atcav/base/random.h"
#include "atcav/run/warnings.h"
#include "atcav/span/noise.h"
#include "atcav/span/permutation.h"
#include "atcav/stats/alpha.h"
#include "atcav/stats/significance.h"
#include "atcav/stats/posterior.h"
#include "atcav/stats/score.h"

namespace atcav {
namespace {

constexpr Index kHalfSplits = 32;
// A closed-form error is not believed when refits scatter more than this times as much, and visibly.
constexpr double kMostUnderstated = 2;
constexpr double kNegligible = 0.01;
// A steeper sigmoid is nearly a step, whose slope says little about its noise. Simulated (d = 200, 50 + 50
// and 500 + 100 examples), closed-form intervals cover 92 to 100 % up to α = 10 and 81 to 89 % at α = 100,
// where bootstrapped ones cover 92 to 100 %.
constexpr double kSmoothAlpha = 10;

using Rules = std::map<std::string, stats::ScoreRule>;

Rules score_rules(const Options& options, Index runs, const Vector& errors) {
  const double shrink = std::sqrt(static_cast<double>(runs - 1));
  const bool analytic = options.sigma == Sigma::kAnalytic;
  Rules rules;
  rules["1"] = stats::alpha_rule(1);
  rules["3"] = stats::alpha_rule(3);
  rules["star"] = analytic ? stats::analytic_rule(errors, shrink) : stats::effective_rule(shrink);
  rules["dagger"] = analytic ? stats::analytic_rule(errors) : stats::effective_rule();
  for (const std::string& alpha : options.alpha) {
    if (!rules.contains(alpha)) rules[alpha] = stats::alpha_rule(std::strtod(alpha.c_str(), nullptr));
  }
  return rules;
}

std::vector<double> scores_of(const Matrix& refits, const stats::ScoreRule& rule) {
  std::vector<double> scores;
  for (Index k = 0; k < refits.rows(); ++k) scores.push_back(stats::score(refits.row(k).transpose(), rule));
  return scores;
}

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

double sample_sd(const std::vector<double>& values) {
  return stats::mean_error(as_vector(values)) * std::sqrt(static_cast<double>(values.size()));
}

MultiTcav multi_tcav(const span::Refitter& refitter, Index runs, const Options& options,
                     const span::ResamplingOptions& resampling) {
  MultiTcav multi;
  multi.runs = runs;
  multi.scores =
      scores_of(span::split_runs(refitter, runs, options.split, resampling), stats::indicator_rule());
  multi.mean = as_vector(multi.scores).mean();
  multi.sd = sample_sd(multi.scores);
  return multi;
}

Significance significance_of(const Evidence& evidence, const stats::ScoreRule& rule, const MultiTcav& multi,
                             const Options& options, const span::ResamplingOptions& resampling) {
  Significance significance;
  significance.permutation_p =
      evidence.random_moments
          ? span::gaussian_permutation_p(*evidence.random_moments, *evidence.concept_moments,
                                         options.cav.method == stats::CavMethod::kFast, rule,
                                         options.permutations, resampling)
          : span::permutation_p(*evidence.refitter, rule, options.permutations, resampling);
  const std::vector<double> null =
      scores_of(span::random_null_runs(*evidence.refitter, multi.runs, resampling), stats::indicator_rule());
  significance.welch_p = stats::welch_t_test(as_vector(multi.scores), as_vector(null)).p;
  return significance;
}

void add_scores(Result& result, const Vector& s, const Vector& errors, const Options& options, Index runs) {
  const Index examples = result.n_random + result.n_concept;
  result.tcav = stats::tcav(s);
  result.magnitude = stats::magnitude(s);
  result.zero_share = stats::zero_share(s);
  result.gamma = stats::root_mean_square(s);
  result.sigma_effective = stats::sigma_effective(s, examples);
  // The analytic α is per input; what is reported is the one of the root mean square error.
  const double analytic = std::sqrt(errors.array().square().mean() * static_cast<double>(examples));
  const double sigma = options.sigma == Sigma::kAnalytic ? analytic : result.sigma_effective;
  result.alpha_star = stats::alpha_star(result.gamma, sigma, examples, runs);
  result.alpha_dagger = stats::alpha_dagger(result.gamma, sigma, examples);
  result.flat_posterior = stats::flat_posterior(s, errors).mean();
  const stats::EmpiricalBayes bayes = stats::empirical_bayes(s, errors);
  result.empirical_bayes = bayes.probability.mean();
  result.tau_squared = bayes.tau_squared;
  result.profile = stats::sensitivity_profile(s);
  result.sensitivities.assign(s.begin(), s.end());
  result.sensitivity_errors.assign(errors.begin(), errors.end());
}

void add_intervals(Result& result, const Evidence& evidence, const Rules& rules, const Options& options,
                   const span::ResamplingOptions& resampling) {
  const Matrix resamples = span::bootstrap_runs(*evidence.refitter, options.bootstrap, resampling);
  const auto by_bootstrap = [&](const stats::ScoreRule& rule) {
    std::vector<double> scores = scores_of(resamples, rule);
    const double sd = sample_sd(scores);
    return ScoreInterval{stats::percentile_interval(std::move(scores), options.level), "bootstrap", sd};
  };
  const bool closed = dynamic_cast<const span::ClosedFormNoise*>(evidence.noise.get()) != nullptr;
  const auto by_error = [&](double value, double error) {
    return ScoreInterval{stats::normal_interval(value, error, options.level), closed ? "delta" : "jackknife",
                         error};
  };
  // Where the noise is too large for a straight line through the score, the closed form sees almost none: a
  // saturated sigmoid is flat. Refits see it.
  const auto interval_of = [&](const stats::ScoreRule& rule, double value) {
    ScoreInterval resampled = by_bootstrap(rule);
    const bool step = rule.scale == stats::ScoreRule::Scale::kGamma && rule.steepness > kSmoothAlpha;
    if (options.interval == IntervalMethod::kBootstrap || step) return resampled;
    const double error = evidence.noise->score_error(rule);
    return resampled.standard_error > kMostUnderstated * error + kNegligible ? resampled
                                                                             : by_error(value, error);
  };
  for (const auto& [key, rule] : rules) result.intervals[key] = interval_of(rule, result.alpha_tcav[key]);
  result.intervals["tcav"] = by_bootstrap(stats::indicator_rule());
  for (std::size_t i = 0; i < result.profile.alpha.size(); ++i) {
    const stats::ScoreRule rule = stats::alpha_rule(result.profile.alpha[i]);
    result.profile_intervals.push_back(interval_of(rule, result.profile.score[i]).interval);
  }

  const stats::ScoreRule& rule = rules.at(result.headline);
  const Matrix halves = span::half_runs(*evidence.refitter, kHalfSplits, resampling);
  result.extrapolated = span::extrapolate(evidence.refitter->full(), halves, rule);
  const ScoreInterval& headline = result.intervals.at(result.headline);
  const double error = evidence.noise->extrapolated_error(rule, halves);
  result.intervals["extrapolated"] = by_error(
      result.extrapolated, std::max(error, headline.method == "bootstrap" ? 2 * headline.standard_error : 0));
}

}  // namespace

Result analyse(const Evidence& evidence, const Options& options) {
  const span::Refitter& refitter = *evidence.refitter;
  const span::ResamplingOptions resampling{options.seed, key_word(evidence.concept_name), options.threads};
  Index runs = std::min(options.runs, refitter.random_rows());
  if (options.split == span::Split::kBoth) runs = std::min(runs, refitter.concept_rows());

  Result result;
  result.concept_name = evidence.concept_name;
  result.class_name = evidence.class_name;
  result.layer = evidence.layer;
  result.cav = stats::name(options.cav.method);
  result.dimension = evidence.dimension;
  result.n_random = evidence.n_random;
  result.n_concept = evidence.n_concept;
  const Vector s = refitter.full();
  const Vector errors = evidence.noise->input_errors();
  result.n_class = s.size();
  add_scores(result, s, errors, options, runs);
  const Rules rules = score_rules(options, runs, errors);
  for (const auto& [key, rule] : rules) result.alpha_tcav[key] = stats::score(s, rule);
  result.headline = headline(options);
  result.error_parts = evidence.noise->error_parts(rules.at(result.headline));
  result.error_inputs = stats::mean_error(stats::score_terms(s, rules.at(result.headline)));
  result.multi = multi_tcav(refitter, runs, options, resampling);
  add_intervals(result, evidence, rules, options, resampling);
  result.accuracy = held_out_accuracy(evidence.held_out);
  result.significance =
      significance_of(evidence, rules.at(result.headline), result.multi, options, resampling);
  result.warnings = warnings_of(result, evidence, options);
  return result;
}

void correct_for_multiple_tests(std::vector<Result>& results) {
  std::vector<double> p;
  p.reserve(results.size());
  for (const Result& result : results) p.push_back(result.significance.permutation_p);
  const std::vector<double> bonferroni = stats::bonferroni(p);
  const std::vector<double> hochberg = stats::benjamini_hochberg(p);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].significance.bonferroni = bonferroni[i];
    results[i].significance.benjamini_hochberg = hochberg[i];
  }
}

}  // namespace atcav
