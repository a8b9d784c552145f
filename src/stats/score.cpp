#include "atcav/score.h"

#include <cmath>
#include <limits>

#include "core/check.h"
#include "stats/logit_normal.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double scale_of(const VectorRef& s, const ScoreRule& rule) {
  switch (rule.scale) {
    case ScoreRule::Scale::kGamma:
      return root_mean_square(s);
    case ScoreRule::Scale::kSpread:
      return spread(s);
    case ScoreRule::Scale::kOne:
      return 1;
  }
  return 1;
}

// Without a spread a sigmoid has nothing to be scaled by.
bool is_step(const ScoreRule& rule, double scale) {
  return rule.per_input.size() == 0 && (std::isinf(rule.steepness) || scale == 0);
}

double step(double x) { return x > 0 ? 1 : x < 0 ? 0 : 0.5; }

// κ_j / c, infinite where an input's error is zero.
Vector slopes(const VectorRef& s, const ScoreRule& rule, double scale) {
  if (rule.per_input.size() == 0) return Vector::Constant(s.size(), rule.steepness / scale);
  check_same("score", "values", "sensitivities", s.size(), "rule.per_input", rule.per_input.size());
  return rule.per_input / scale;
}

}  // namespace

double tcav(const VectorRef& sensitivities) {
  check_at_least("tcav", "sensitivities", sensitivities.size(), 1);
  return (sensitivities.array() > 0).cast<double>().mean();
}

double zero_share(const VectorRef& sensitivities) {
  check_at_least("zero_share", "sensitivities", sensitivities.size(), 1);
  return (sensitivities.array() == 0).cast<double>().mean();
}

double magnitude(const VectorRef& sensitivities) {
  check_at_least("magnitude", "sensitivities", sensitivities.size(), 1);
  return sensitivities.mean();
}

double alpha_tcav(const VectorRef& sensitivities, double alpha, double gamma) {
  check_at_least("alpha_tcav", "sensitivities", sensitivities.size(), 1);
  check_positive("alpha_tcav", "gamma", gamma);
  if (std::isinf(alpha)) return tcav(sensitivities) + 0.5 * zero_share(sensitivities);
  check_non_negative("alpha_tcav", "alpha", alpha);
  return mean_sigmoid(sensitivities, alpha / gamma);
}

Profile sensitivity_profile(const VectorRef& sensitivities) {
  const double gamma = root_mean_square(sensitivities);
  Profile profile;
  for (int i = -10; i <= 20; ++i) {
    const double alpha = std::pow(10, i / 10.0);
    profile.alpha.push_back(alpha);
    profile.score.push_back(alpha_tcav(sensitivities, alpha, gamma));
  }
  return profile;
}

ScoreRule indicator_rule() { return {ScoreRule::Scale::kOne, kInfinity, {}}; }

ScoreRule alpha_rule(double alpha) {
  check_non_negative("alpha_rule", "alpha", alpha);
  return {ScoreRule::Scale::kGamma, alpha, {}};
}

ScoreRule effective_rule(double shrink) {
  check_positive("effective_rule", "shrink", shrink);
  return {ScoreRule::Scale::kSpread, 1 / (std::sqrt(kTau1) * shrink), {}};
}

ScoreRule analytic_rule(const VectorRef& standard_errors, double shrink) {
  check_positive("analytic_rule", "shrink", shrink);
  return {ScoreRule::Scale::kOne, 1, (standard_errors.array() * (std::sqrt(kTau1) * shrink)).inverse()};
}

Vector score_terms(const VectorRef& sensitivities, const ScoreRule& rule) {
  check_at_least("score", "sensitivities", sensitivities.size(), 1);
  const double scale = scale_of(sensitivities, rule);
  if (is_step(rule, scale)) {
    const double at_zero = std::isinf(rule.steepness) ? 0 : 0.5;
    return sensitivities.unaryExpr([at_zero](double x) { return x == 0 ? at_zero : step(x); });
  }
  return sensitivities.binaryExpr(slopes(sensitivities, rule, scale), [](double x, double slope) {
    return std::isinf(slope) ? step(x) : sigmoid(slope * x);
  });
}

double score(const VectorRef& sensitivities, const ScoreRule& rule) {
  const double scale = scale_of(sensitivities, rule);
  if (rule.per_input.size() == 0 && !is_step(rule, scale)) {
    return mean_sigmoid(sensitivities, rule.steepness / scale);
  }
  return score_terms(sensitivities, rule).mean();
}

Vector score_gradient(const VectorRef& sensitivities, const ScoreRule& rule) {
  check_at_least("score_gradient", "sensitivities", sensitivities.size(), 1);
  const double scale = scale_of(sensitivities, rule);
  if (is_step(rule, scale)) return Vector::Zero(sensitivities.size());
  const auto m = static_cast<double>(sensitivities.size());
  const Vector direct = sensitivities.binaryExpr(
      slopes(sensitivities, rule, scale),
      [](double x, double slope) { return std::isinf(slope) ? 0 : slope * sigmoid_derivative(slope * x); });
  const double through_scale = direct.dot(sensitivities) / m / scale;
  switch (rule.scale) {
    case ScoreRule::Scale::kGamma: {
      const double root = scale - 1e-8;  // γ without its ε
      if (root <= 0) return direct / m;
      return (direct - through_scale / root * sensitivities) / m;
    }
    case ScoreRule::Scale::kSpread: {
      const Vector deviation = sensitivities.array() - sensitivities.mean();
      return (direct - through_scale / scale * deviation) / m;
    }
    case ScoreRule::Scale::kOne:
      return direct / m;
  }
  return direct / m;
}

double bimodal_share(const VectorRef& sensitivities, const VectorRef& standard_errors,
                     const ScoreRule& rule) {
  check_at_least("bimodal_share", "sensitivities", sensitivities.size(), 1);
  check_same("bimodal_share", "values", "sensitivities", sensitivities.size(), "standard_errors",
             standard_errors.size());
  const double scale = scale_of(sensitivities, rule);
  const bool steps = is_step(rule, scale);
  const Vector slope = steps ? Vector() : slopes(sensitivities, rule, scale);
  Index bimodal = 0;
  for (Index j = 0; j < sensitivities.size(); ++j) {
    const double error = standard_errors(j);
    if (!(error > 0)) continue;
    const bool step = steps || std::isinf(slope(j));
    bimodal += step || bimodal_location(slope(j) * error) > slope(j) * std::abs(sensitivities(j)) ? 1 : 0;
  }
  return static_cast<double>(bimodal) / static_cast<double>(sensitivities.size());
}

}  // namespace atcav::stats
