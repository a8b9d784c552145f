#include "pipeline/score_parts.h"

#include <algorithm>
#include <cmath>

#include "atcav/interval.h"
#include "atcav/posterior.h"
#include "atcav/score.h"

namespace atcav {

bool is_steep(const stats::ScoreRule& rule) {
  // Simulated (d = 200, 50 + 50 and 500 + 100 examples), closed-form intervals cover 92 to 100 % up to α = 10
  // and 81 to 89 % at α = 100, where bootstrapped ones cover 92 to 100 %.
  constexpr double kSmoothAlpha = 10;
  return rule.scale == stats::ScoreRule::Scale::kGamma && rule.steepness > kSmoothAlpha;
}

Rules score_rules(const Options& options, Index runs, const Vector& errors) {
  const double shrink = std::sqrt(static_cast<double>(runs - 1));
  const bool analytic = options.sigma == Sigma::kAnalytic;
  Rules rules;
  rules["1"] = stats::alpha_rule(1);
  rules["3"] = stats::alpha_rule(3);
  rules["star"] = analytic ? stats::analytic_rule(errors, shrink) : stats::effective_rule(shrink);
  rules["dagger"] = analytic ? stats::analytic_rule(errors) : stats::effective_rule();
  for (const Alpha& alpha : options.alpha)
    rules.try_emplace(alpha_text(alpha), stats::alpha_rule(alpha.value));
  return rules;
}

Result sensitivity_scores(const Vector& s, const Rules& rules, const std::string& headline) {
  Result result;
  result.n_class = s.size();
  result.tcav = stats::tcav(s);
  result.magnitude = stats::magnitude(s);
  result.zero_share = stats::zero_share(s);
  result.gamma = stats::root_mean_square(s);
  result.profile = stats::sensitivity_profile(s);
  result.sensitivities.assign(s.begin(), s.end());
  for (const auto& [key, rule] : rules) result.alpha_tcav[key] = stats::score(s, rule);
  result.headline = headline;
  result.error_inputs = stats::mean_error(stats::score_terms(s, rules.at(headline)));
  return result;
}

FromExamples example_scores(const Vector& s, const Vector& errors, Index n_concept, Index n_random,
                            const Options& options, Index runs) {
  FromExamples found;
  found.n_random = n_random;
  found.n_concept = n_concept;
  const Index examples = n_random + n_concept;
  const double gamma = stats::root_mean_square(s);
  found.sigma_effective = stats::sigma_effective(s, examples);
  // The analytic α is per input; what is reported is the one of the root mean square error.
  const double analytic = std::sqrt(errors.array().square().mean() * static_cast<double>(examples));
  const double sigma = options.sigma == Sigma::kAnalytic ? analytic : found.sigma_effective;
  found.alpha_star = stats::alpha_star(gamma, sigma, examples, runs);
  found.alpha_dagger = stats::alpha_dagger(gamma, sigma, examples);
  found.flat_posterior = stats::flat_posterior(s, errors).mean();
  const stats::EmpiricalBayes bayes = stats::empirical_bayes(s, errors);
  found.empirical_bayes = bayes.probability.mean();
  found.tau_squared = bayes.tau_squared;
  found.sensitivity_errors.assign(errors.begin(), errors.end());
  return found;
}

}  // namespace atcav
