#include "pipeline/score_concept.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "atcav/interval.h"
#include "atcav/posterior.h"
#include "atcav/random.h"
#include "atcav/score.h"
#include "core/check.h"
#include "core/parallel.h"
#include "fit/max_t.h"
#include "fit/noise.h"
#include "fit/permutation.h"
#include "fit/shared_sign.h"
#include "pass/product.h"
#include "pipeline/score_laws.h"
#include "pipeline/score_parts.h"
#include "pipeline/warnings.h"
#include "stats/negatives.h"
#include "stats/refit_scores.h"

namespace atcav {
namespace {

// A closed-form error is not believed when refits scatter more than this times as much, and visibly.
constexpr double kMostUnderstated = 2;
constexpr double kNegligible = 0.01;

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

std::vector<double> as_list(const Vector& values) { return {values.begin(), values.end()}; }

double sample_sd(const Vector& values) {
  return stats::mean_error(values) * std::sqrt(static_cast<double>(values.size()));
}

// Sensitivities of all refits that a result needs, made together.
struct Resamples {
  Matrix splits, null, bootstrap, halves;
};

Index possible_runs(const fit::Refitter& refitter, const Options& options) {
  const Index runs = std::min(options.runs, refitter.random_rows());
  return options.split == fit::Split::kBoth ? std::min(runs, refitter.concept_rows()) : runs;
}

Resamples resample(const Evidence& evidence, const Options& options) {
  const fit::Refitter& refitter = *evidence.refitter;
  std::vector<Matrix> found =
      refitter.refit_all(drawings_of(refitter, evidence.concept_name, options), options.threads);
  return {std::move(found[0]), std::move(found[1]), std::move(found[2]), std::move(found[3])};
}

MultiTcav multi_tcav(const Matrix& splits) {
  MultiTcav multi;
  multi.runs = splits.rows();
  const Vector scores = stats::scores_of_rows(splits, stats::indicator_rule());
  multi.scores = as_list(scores);
  multi.mean = scores.mean();
  multi.sd = sample_sd(scores);
  return multi;
}

Significance significance_of(const Evidence& evidence, const Resamples& resamples,
                             const stats::ScoreRule& rule, const MultiTcav& multi, const Options& options,
                             const fit::ResamplingOptions& resampling) {
  Significance significance;
  significance.differs_p =
      evidence.random_moments
          ? fit::gaussian_permutation_p(evidence.random_moments->projections(), *evidence.concept_moments,
                                        options.cav.method == stats::CavMethod::kFast, rule,
                                        options.permutations, resampling)
      : evidence.relabelled.size() > 0
          ? fit::permutation_p(evidence.relabelled, evidence.mean_sensitivities, rule, options.threads)
          : fit::permutation_p(*evidence.means, rule, options.permutations, resampling);
  const Vector null = stats::scores_of_rows(resamples.null, stats::indicator_rule());
  significance.welch_p = stats::welch_t_test(as_vector(multi.scores), null).p;
  return significance;
}

// The noise of S̄ by source.
stats::MeanNoise mean_noise(const Evidence& evidence, Index inputs) {
  const Vector even = Vector::Constant(inputs, 1 / static_cast<double>(inputs));
  const double scale = evidence.step * evidence.step;
  const auto n1 = static_cast<double>(evidence.n_random);
  const auto n2 = static_cast<double>(evidence.n_concept);
  if (const auto parts = evidence.noise->parts_along(even)) {
    return {stats::VariancePart{scale * parts->of_concept / n2, std::max(1.0, n2 - 1)},
            stats::VariancePart{scale * parts->random / n1, std::max(1.0, n1 - 1)},
            {}};
  }
  const double error = evidence.noise->error_along(even);
  return {{}, {}, stats::VariancePart{scale * error * error, evidence.noise->degrees()}};
}

stats::Effect as_read(stats::Effect effect, const Evidence& evidence, const Options& options) {
  if (!options.until) return effect;
  return stats::stopped_by_width(effect, evidence.spread, evidence.spread_of_concept);
}

// Of the examples' part of S̄.
double variance_of(const stats::MeanNoise& noise) {
  if (noise.examples) return noise.examples->variance;
  return noise.of_concept->variance + noise.random->variance;
}

double degrees_of(const stats::MeanNoise& noise) {
  if (noise.examples) return noise.examples->degrees;
  const stats::VariancePart& a = *noise.of_concept;
  const stats::VariancePart& b = *noise.random;
  const double total = variance_of(noise);
  const double sum = a.variance * a.variance / a.degrees + b.variance * b.variance / b.degrees;
  return sum > 0 ? total * total / sum : std::min(a.degrees, b.degrees);
}

// Group by group of inputs, what the examples' noise and the gradients say of them together; without the
// gradients' inner products no posterior.
void add_shared_noise(Result& result, const Vector& s, const Evidence& evidence, const Options& options) {
  Vector errors(s.size());
  Vector probability(s.size());
  const stats::MeanNoise noise = mean_noise(evidence, s.size());
  const std::vector<Index> sizes = input_groups(s.size());
  const bool posterior = !evidence.kinship.empty();
  Vector of_groups(std::ssize(sizes));  // p of "no input uses it"
  std::vector<Index> starts = {0};
  for (const Index size : sizes) starts.push_back(starts.back() + size);
  parallel_for(std::ssize(sizes), options.threads, [&](Index group) {
    const Index first = starts[group];
    const Index count = sizes[group];
    const Matrix covariance = evidence.noise->covariance(first, count);
    errors.segment(first, count) = covariance.diagonal().cwiseSqrt();
    if (posterior) {
      probability.segment(first, count) =
          stats::shared_posterior(s.segment(first, count), covariance, evidence.kinship[group]);
    }
    of_groups(group) = stats::some_inputs_p(s.segment(first, count), covariance, degrees_of(noise));
  });
  if (posterior) result.examples->shared_posterior = probability.mean();
  result.effect = stats::measure_effect(evidence.step * s, evidence.step * errors, noise, evidence.spread,
                                        options.level, evidence.spread_of_logit);
  result.step = evidence.step;
  result.examples->some_inputs.p =
      std::min(1.0, of_groups.minCoeff() * static_cast<double>(of_groups.size()));
}

void add_intervals(Result& result, const Evidence& evidence, const Resamples& resamples, const Rules& rules,
                   const Options& options) {
  const stats::RefitScores refits(resamples.bootstrap);
  const auto by_error = [&](double value, double error) {
    return ScoreInterval{stats::normal_interval(value, error, options.level), evidence.noise_kind, error};
  };
  // Where the noise is too large for a straight line through the score, the closed form sees almost none: a
  // saturated sigmoid is flat. Refits see it.
  const auto interval_of = [&](const stats::ScoreRule& rule, double value) {
    const bool closed = options.interval != IntervalMethod::kBootstrap && !is_steep(rule);
    const double error = closed ? evidence.noise->score_error(rule) : 0;
    const double most = kMostUnderstated * error + kNegligible;
    if (closed) {
      const bool of_gamma = rule.scale == stats::ScoreRule::Scale::kGamma && rule.per_input.size() == 0;
      if (of_gamma && refits.flat_sd(rule.steepness) < most) return by_error(value, error);
      const Vector rough = refits.roughly(rule);
      if (rough.size() > 0 && sample_sd(rough) + 2 * stats::RefitScores::kRoughError < most)
        return by_error(value, error);
    }
    const Vector scores = refits.of(rule);
    const double sd = sample_sd(scores);
    if (closed && !(sd > most)) return by_error(value, error);
    return ScoreInterval{stats::percentile_interval(as_list(scores), options.level), IntervalKind::kBootstrap,
                         sd};
  };
  result.intervals["tcav"] = {
      stats::positive_share_interval(as_vector(result.sensitivities),
                                     as_vector(result.examples->sensitivity_errors), resamples.bootstrap,
                                     options.level, options.threads),
      IntervalKind::kBound, sample_sd(refits.of(stats::indicator_rule()))};
  std::vector<std::pair<stats::ScoreRule, double>> wanted;  // rule and score: the named ones, the profile
  for (const auto& [key, rule] : rules) wanted.emplace_back(rule, result.alpha_tcav[key]);
  for (std::size_t i = 0; i < result.profile.alpha.size(); ++i)
    wanted.emplace_back(stats::alpha_rule(result.profile.alpha[i]), result.profile.score[i]);
  std::vector<ScoreInterval> found(wanted.size());
  const stats::MeanNoise noise = mean_noise(evidence, std::ssize(result.sensitivities));
  const double of_inputs = as_vector(result.examples->sensitivity_errors).squaredNorm() /
                           static_cast<double>(result.sensitivities.size());
  const fit::SharedSign sign(variance_of(noise) / (evidence.step * evidence.step), of_inputs,
                             degrees_of(noise), resamples.bootstrap, options.level);
  parallel_for(std::ssize(wanted), options.threads, [&](Index at) {
    const auto& [rule, value] = wanted[at];
    found[at] = interval_of(rule, value);
    found[at].interval = sign.widened(found[at].interval, rule);
  });
  std::size_t next = 0;
  for (const auto& [key, rule] : rules) result.intervals[key] = found[next++];
  for (; next < found.size(); ++next) result.examples->profile_intervals.push_back(found[next].interval);

  const stats::ScoreRule& rule = rules.at(result.headline);
  result.examples->extrapolated = fit::extrapolate(evidence.refitter->full(), resamples.halves, rule);
  const ScoreInterval& headline = result.intervals.at(result.headline);
  const double error = evidence.noise->extrapolated_error(rule, resamples.halves);
  result.intervals["extrapolated"] =
      by_error(result.examples->extrapolated,
               std::max(error, headline.kind == IntervalKind::kBootstrap ? 2 * headline.standard_error : 0));
}

}  // namespace

stats::Effect effect_of_means(const Evidence& evidence, const Options& options) {
  return as_read(stats::measure_effect(
                     evidence.step * evidence.refitter->full(), evidence.step * evidence.mean_errors,
                     mean_noise(evidence, evidence.mean_errors.size()), evidence.spread, options.level),
                 evidence, options);
}

std::vector<Index> input_groups(Index inputs) {
  const Index groups = (inputs + kInputGroup - 1) / kInputGroup;
  std::vector<Index> sizes;
  for (Index g = 0; g < groups; ++g) sizes.push_back((g + 1) * inputs / groups - g * inputs / groups);
  return sizes;
}

std::vector<fit::Drawing> drawings_of(const fit::Refitter& refitter, std::string_view concept_name,
                                      const Options& options) {
  const fit::ResamplingOptions resampling{options.seed, key_word(concept_name), options.threads,
                                          options.pairs};
  const Index runs = possible_runs(refitter, options);
  return {fit::split_drawing(refitter, runs, options.split, resampling),
          fit::random_null_drawing(refitter, runs, resampling),
          fit::bootstrap_drawing(refitter, options.bootstrap, resampling),
          fit::half_drawing(refitter, fit::kHalfSplits, resampling)};
}

Result score_concept(const Evidence& evidence, const Options& options) {
  const fit::Refitter& refitter = *evidence.refitter;
  const fit::ResamplingOptions resampling{options.seed, key_word(evidence.concept_name), options.threads,
                                          options.pairs};
  const Index runs = possible_runs(refitter, options);

  const Vector s = refitter.full();
  const Vector errors = evidence.noise->input_errors();
  const Rules rules = score_rules(options, runs, errors);
  Result result =
      sensitivity_scores(s, rules, options.alpha.empty() ? "dagger" : alpha_text(options.alpha.front()));
  result.cav = stats::name(options.cav.method);
  result.examples = example_scores(s, errors, evidence.n_concept, evidence.n_random, options, runs);
  FromExamples& examples = *result.examples;
  const Resamples resamples = resample(evidence, options);
  examples.multi = with_alpha_tcav(multi_tcav(resamples.splits), resamples.splits, rules);
  examples.laws = score_laws(s, errors, resamples.bootstrap, rules);
  add_intervals(result, evidence, resamples, rules, options);
  examples.accuracy = *evidence.accuracy;
  const Rules of_means = score_rules(options, runs, evidence.mean_errors);
  examples.significance =
      significance_of(evidence, resamples, of_means.at(result.headline), examples.multi, options, resampling);
  const std::vector<std::string> about_rows = add_use(result, evidence, options);
  result.warnings = warnings_of(result, evidence.zero_gradients, options);
  result.warnings.insert(result.warnings.end(), about_rows.begin(), about_rows.end());
  return result;
}

std::vector<std::string> add_use(Result& result, const Evidence& evidence, const Options& options) {
  FromExamples& examples = *result.examples;
  add_shared_noise(result, as_vector(result.sensitivities), evidence, options);
  result.groups.reset();
  if (evidence.grouped) {
    result.effect = *evidence.grouped;
    examples.some_inputs.p = 1;  // the covariance of the S_j is one over rows
    result.groups = evidence.groups;
  }
  result.effect = as_read(result.effect, evidence, options);
  examples.significance.use_p = result.effect.p;
  examples.equivalence = {.bound = options.negligible,
                          .p = stats::equivalence_p(result.effect, options.negligible)};
  if (evidence.random_along.size() > 1) {
    result.negatives = stats::other_negatives(evidence.random_along, evidence.random_groups, evidence.strata,
                                              result.effect, options.level);
  }
  return row_warnings(result, evidence.spread, evidence.spread_of_concept);
}

Vector relabelled_use(const Evidence& evidence, const Result& result, std::string_view class_name,
                      const Options& options) {
  if (!evidence.dealt) return {};
  Vector inputs = evidence.step * as_vector(result.sensitivities);
  inputs.array() -= inputs.mean();
  // Of groups what each adds to the mean.
  if (!evidence.input_groups.empty()) {
    const Groups& groups = evidence.input_groups;
    inputs = static_cast<double>(groups.count) / static_cast<double>(inputs.size()) *
             fit::dealt_rows_of(inputs, groups).sums;
  }
  const auto m = static_cast<double>(inputs.size());
  const double spread = inputs.squaredNorm() / std::max(1.0, m - 1);
  inputs *= spread > 0 ? result.effect.error_inputs * std::sqrt(m / spread) : 0;
  return fit::relabelled_t(*evidence.dealt, inputs, options.permutations,
                           {options.seed, key_word(evidence.concept_name), options.threads, options.pairs},
                           key_word(class_name), evidence.draws);
}

Result score_direction(const VectorRef& sensitivities, Index zero_gradients, const Options& options) {
  Rules rules = {{"1", stats::alpha_rule(1)}, {"3", stats::alpha_rule(3)}};
  for (const Alpha& alpha : options.alpha) {
    if (alpha.kind != Alpha::Kind::kNumber) {
      fail_argument(
          "cavs", fmt::format("alpha is {0}, must be a number: {0} comes from the noise of the CAV, which a "
                              "given direction does not tell",
                              alpha_text(alpha)));
    }
    rules[alpha_text(alpha)] = stats::alpha_rule(alpha.value);
  }
  const Vector s = sensitivities;
  Result result =
      sensitivity_scores(s, rules, options.alpha.empty() ? "1" : alpha_text(options.alpha.front()));
  result.cav = "given";
  result.given.emplace();
  result.effect = stats::measure_effect_of_direction(s, options.level);
  rules["tcav"] = stats::indicator_rule();
  for (const auto& [key, rule] : rules) {
    const double error = stats::mean_error(stats::score_terms(s, rule));
    result.intervals[key] = {stats::normal_interval(stats::score(s, rule), error, options.level),
                             IntervalKind::kInputs, error};
  }
  result.warnings = warnings_of(result, zero_gradients, options);
  return result;
}

std::vector<std::pair<Index, Index>> input_groups(std::span<const LayerNames::Class> classes) {
  std::vector<std::pair<Index, Index>> groups;
  Index first = 0;
  for (const LayerNames::Class& one : classes) {
    for (const Index size : input_groups(one.inputs)) {
      groups.emplace_back(first, first + size);
      first += size;
    }
  }
  return groups;
}

std::vector<std::vector<Matrix>> gradient_kinship(const LayerData& data, int threads) {
  std::vector<std::vector<Matrix>> kinship(data.names.classes.size());
  const bool has_backend = data.pass && data.pass->backend;
  if (auto made = has_backend ? data.pass->backend->gradient_products() : std::vector<Matrix>();
      !made.empty()) {
    auto next = made.begin();
    for (std::size_t k = 0; k < kinship.size(); ++k) {
      const auto count = std::ssize(input_groups(data.names.classes[k].inputs));
      kinship[k].assign(std::move_iterator(next), std::move_iterator(next + count));
      next += count;
    }
    return kinship;
  }
  std::vector<std::pair<Index, Matrix*>> jobs;
  Index first = 0;
  for (std::size_t k = 0; k < kinship.size(); ++k) {
    for (const Index size : input_groups(data.names.classes[k].inputs))
      kinship[k].push_back(Matrix::Zero(size, size));
    for (Matrix& group : kinship[k]) {
      jobs.emplace_back(first, &group);
      first += group.rows();
    }
  }
  // Stripes of columns are jobs of their own, so that few groups keep many threads busy; their sums are
  // added up in order.
  constexpr Index kMostStripes = 16;
  const Index d = data.gradients.cols();
  const Index pieces = (d + pass::kProductColumns - 1) / pass::kProductColumns;
  const Index stripe = (pieces + kMostStripes - 1) / kMostStripes * pass::kProductColumns;
  const Index stripes = (d + stripe - 1) / stripe;
  std::vector<Matrix> sums(jobs.size() * static_cast<std::size_t>(stripes));
  parallel_for(std::ssize(sums), threads, [&](Index job) {
    const auto& [begin, group] = jobs[job / stripes];
    const auto rows = data.gradients.middleRows(begin, group->rows());
    Matrix sum = Matrix::Zero(group->rows(), group->rows());
    const Index start = job % stripes * stripe;
    const Index end = std::min(start + stripe, d);
    for (Index column = start; column < end; column += pass::kProductColumns) {
      const MatrixF piece = rows.middleCols(column, std::min(pass::kProductColumns, end - column));
      MatrixF products = MatrixF::Zero(piece.rows(), piece.rows());
      pass::add_row_products(piece, piece, products);
      sum += products.cast<double>();
    }
    sums[job] = std::move(sum);
  });
  for (std::size_t job = 0; job < sums.size(); ++job)
    *jobs[job / static_cast<std::size_t>(stripes)].second += sums[job];
  return kinship;
}

}  // namespace atcav
