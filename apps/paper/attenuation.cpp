#include "apps/paper/attenuation.h"

#include <cmath>

#include "atcav/base/parallel.h"
#include "apps/paper/agreement.h"
#include "apps/paper/problem.h"
#include "atcav/span/noise.h"
#include "atcav/span/resampling.h"

namespace atcav::paper {
namespace {

const std::vector<Index> kSizes = {25, 50, 100, 200, 400, 800};
constexpr double kAlpha = 3;
constexpr Index kHalves = 10;

struct Scores {
  Vector population, tcav, smooth, extrapolated;  // one a problem
};

Scores simulate(Index n, const PaperOptions& options) {
  const Index problems = 2 * options.repeats;
  Scores scores{Vector(problems), Vector(problems), Vector(problems), Vector(problems)};
  const stats::ScoreRule rule = stats::alpha_rule(kAlpha);
  parallel_for(problems, options.threads, [&](Index i) {
    // The same problems at every size: the key has no n.
    const auto number = static_cast<std::uint64_t>(i);
    Stream stream(options.seed, {kTaskSimulation, key_word("attenuation"), number});
    const Problem problem = make_problem({.length = 2}, stream);
    const Examples examples = draw_examples(problem, n, n, stream);
    const span::MeanRefitter refitter(examples.random, examples.of_concept, false);
    const Vector full = refitter.full();
    const Matrix halves =
        span::half_runs(refitter, kHalves, {.seed = options.seed, .key = number, .threads = 1});
    scores.population(i) = stats::score(problem.truth(), rule);
    scores.tcav(i) = stats::score(full, stats::indicator_rule());
    scores.smooth(i) = stats::score(full, rule);
    scores.extrapolated(i) = span::extrapolate(full, halves, rule);
  });
  return scores;
}

double rmse(const Vector& estimate, const Vector& truth) {
  return std::sqrt((estimate - truth).squaredNorm() / static_cast<double>(truth.size()));
}

void add(Curve& curve, Index n, const Vector& values) {
  const SampleMoments moments = sample_moments(values);
  curve.x.push_back(static_cast<double>(n));
  curve.y.push_back(moments.mean);
  curve.error.push_back(moments.mean_error);
}

}  // namespace

std::vector<Figure> attenuation(const PaperOptions& options) {
  Figure figure;
  figure.id = "attenuation";
  figure.title = "Few examples make a concept look weaker than it is";
  figure.caption =
      "Mean score over simulated problems. The CAV’s noise pulls every score towards ½; extrapolation from "
      "half "
      "samples takes most of the pull away.";
  figure.x = {"examples of each class", true, {}};
  figure.y = {"mean score", false, {}};
  figure.curves = {{"α = 3", {}, {}, {}, Style::kJoined, 1, true},
                   {"α = 3, extrapolated", {}, {}, {}, Style::kJoined, 0, true},
                   {"α = 3, population", {}, {}, {}, Style::kDashed, 6, true},
                   {"TCAV", {}, {}, {}, Style::kJoined, 3, true}};
  Figure errors;
  errors.id = "attenuation_error";
  errors.title = "Distance to the population’s score";
  errors.caption = "Root mean squared difference between a score and what unlimited examples would give.";
  errors.x = figure.x;
  errors.y = {"rms error", true, {}};
  errors.curves = {{"α = 3", {}, {}, {}, Style::kJoined, 1, true},
                   {"α = 3, extrapolated", {}, {}, {}, Style::kJoined, 0, true}};
  int better = 0;
  for (const Index n : kSizes) {
    const Scores scores = simulate(n, options);
    add(figure.curves[0], n, scores.smooth);
    add(figure.curves[1], n, scores.extrapolated);
    add(figure.curves[2], n, scores.population);
    add(figure.curves[3], n, scores.tcav);
    const std::vector<double> found = {rmse(scores.smooth, scores.population),
                                       rmse(scores.extrapolated, scores.population)};
    for (std::size_t k = 0; k < 2; ++k) {
      errors.curves[k].x.push_back(static_cast<double>(n));
      errors.curves[k].y.push_back(found[k]);
    }
    better += found[1] <= found[0] ? 1 : 0;
  }
  figure.curves[2].error.clear();
  const auto bias = [&](std::size_t k, std::size_t i) {
    return figure.curves[k].y[i] - figure.curves[2].y[i];
  };
  bool smaller = true;
  for (std::size_t i = 0; i < kSizes.size(); ++i) smaller &= std::abs(bias(1, i)) < std::abs(bias(0, i));
  figure.claims = {
      {"Scores from few examples need no correction (bias at 50 + 50)", {}, bias(0, 1), {}, false},
      {"Bias after extrapolation at 50 + 50, smaller at every size", {}, bias(1, 1), {}, smaller, true},
      {"Share of the bias left at 200 + 200", {}, bias(1, 3) / bias(0, 3), {}, true}};
  errors.claims = {{"Extrapolation is closer at so many of the 6 sizes (at least 5)",
                    {},
                    static_cast<double>(better),
                    {},
                    better >= 5,
                    true}};
  return {figure, errors};
}

}  // namespace atcav::paper
