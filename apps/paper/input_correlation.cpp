#include "apps/paper/input_correlation.h"

#include <fmt/format.h>

#include <cmath>

#include "atcav/base/parallel.h"
#include "apps/paper/agreement.h"
#include "apps/paper/problem.h"
#include "atcav/span/noise.h"
#include "atcav/stats/score.h"
#include "atcav/stats/distribution.h"

namespace atcav::paper {
namespace {

constexpr Index kMostInputs = 200;
constexpr Index kExamples = 100;
constexpr Index kRuns = 10;
constexpr double kAlike = 0.2;  // cosine between gradients; `real` measures what networks have
const std::vector<Index> kInputs = {1, 2, 5, 10, 20, 50, 100, 200};

struct Draws {
  Matrix smooth;  // draws × inputs: terms of α*-TCAV on the full budget
  Matrix multi;   // draws × inputs: shares of positive runs
};

Draws simulate(const Problem& problem, const stats::ScoreRule& rule, const PaperOptions& options) {
  const Index count = 20 * options.repeats;
  Draws draws{Matrix(count, kMostInputs), Matrix(count, kMostInputs)};
  parallel_for(count, options.threads, [&](Index i) {
    Stream stream(options.seed,
                  {kTaskSimulation, key_word("input_correlation"), 1, static_cast<std::uint64_t>(i)});
    Vector sum = Vector::Zero(kMostInputs);
    Vector positive = Vector::Zero(kMostInputs);
    for (Index run = 0; run < kRuns; ++run) {
      const Vector s = draw_sensitivities(problem, kExamples / kRuns, kExamples / kRuns, stream);
      sum += s;
      positive += stats::score_terms(s, stats::indicator_rule());
    }
    draws.smooth.row(i) = stats::score_terms(sum / kRuns, rule).transpose();
    draws.multi.row(i) = positive.transpose() / static_cast<double>(kRuns);
  });
  return draws;
}

Vector class_scores(const Matrix& terms, Index inputs) { return terms.leftCols(inputs).rowwise().mean(); }

double mean_variance(const Matrix& terms, Index inputs) {
  double sum = 0;
  for (Index j = 0; j < inputs; ++j) sum += sample_moments(Vector(terms.col(j))).variance;
  return sum / static_cast<double>(inputs);
}

void add(Curve& curve, Index inputs, double y, double error = 0) {
  curve.x.push_back(static_cast<double>(inputs));
  curve.y.push_back(y);
  if (error > 0) curve.error.push_back(error);
}

}  // namespace

std::vector<Figure> input_correlation(const PaperOptions& options) {
  Stream stream(options.seed, {kTaskSimulation, key_word("input_correlation")});
  const Problem problem = make_problem({.inputs = kMostInputs, .length = 0.8, .alike = kAlike}, stream);
  const Vector errors = sensitivity_errors(problem, kExamples, kExamples);
  const Draws draws = simulate(problem, stats::analytic_rule(errors, std::sqrt(kRuns - 1.0)), options);

  Figure variance;
  variance.id = "input_correlation";
  variance.title = "Variance of a class’s α*-score over its number of inputs";
  variance.caption =
      "All inputs share one CAV; here their gradients have cosine 0.2. Treating them as independent (mean "
      "variance over m) promises far too "
      "little; the "
      "mean of their variances, which the paper’s argument compares, is too much.";
  variance.x = {"inputs m", true, {}};
  variance.y = {"variance", true, {}};
  variance.curves = {{"measured", {}, {}, {}, Style::kPoints, 0, true},
                     {"mean of the inputs’ variances", {}, {}, {}, Style::kDashed, 1, true},
                     {"the same over m (independent inputs)", {}, {}, {}, Style::kDashed, 2, true}};
  Figure ratio;
  ratio.id = "input_correlation_ratio";
  ratio.title = fmt::format("Variance ratio α*/Multi-TCAV of a class’s score, s = {}", kRuns);
  ratio.caption =
      "Per input it is the exact ratio of the theory; for the score that people report it is another.";
  ratio.x = variance.x;
  ratio.y = {"variance ratio", false, {}};
  ratio.curves = {{"measured", {}, {}, {}, Style::kJoined, 0, true},
                  {"the paper’s r(s)", {}, {}, {}, Style::kDashed, 5, true}};
  for (const Index m : kInputs) {
    const SampleMoments smooth = sample_moments(class_scores(draws.smooth, m));
    const SampleMoments multi = sample_moments(class_scores(draws.multi, m));
    const double mean = mean_variance(draws.smooth, m);
    add(variance.curves[0], m, smooth.variance, smooth.variance_error);
    add(variance.curves[1], m, mean);
    add(variance.curves[2], m, mean / static_cast<double>(m));
    const double value = smooth.variance / multi.variance;
    add(ratio.curves[0], m, value,
        value * std::hypot(smooth.variance_error / smooth.variance, multi.variance_error / multi.variance));
    add(ratio.curves[1], m, stats::variance_ratio_approximate(kRuns));
  }
  const double measured = variance.curves[0].y.back();
  const double too_small = measured / variance.curves[2].y.back();
  const double too_large = variance.curves[1].y.back() / measured;
  variance.claims = {{"Inputs may be treated as independent: variance over that, 200 inputs",
                      1.0,
                      too_small,
                      {},
                      std::abs(too_small - 1) < 0.2},
                     {"A mean of variances stands for the variance: that over the variance, 200 inputs",
                      1.0,
                      too_large,
                      {},
                      std::abs(too_large - 1) < 0.2}};
  ratio.claims = {{"r(10) for the score over 200 inputs",
                   0.471,
                   ratio.curves[0].y.back(),
                   {},
                   std::abs(ratio.curves[0].y.back() - 0.471) < 0.05}};
  return {variance, ratio};
}

}  // namespace atcav::paper
