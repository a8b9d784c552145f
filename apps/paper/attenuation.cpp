#include <cmath>

#include "apps/paper/agreement.h"
#include "apps/paper/synthetic.h"
#include "fit/noise.h"
#include "fit/resampling.h"

namespace atcav::paper {

AttenuationScores simulate_attenuation(const AttenuationSetting& setting, const PaperOptions& options) {
  const Index problems = 2 * options.repeats;
  const Matrix empty(problems, std::ssize(setting.alphas));
  AttenuationScores scores{empty, empty, empty, Vector(problems)};
  for_each_draw(problems, options, "attenuation", {}, [&](Index i, Stream& stream) {
    const Problem problem = make_problem({.length = setting.length}, stream);
    const Examples examples = draw_examples(problem, setting.n_random, setting.n_concept, stream);
    const fit::MeanRefitter refitter(examples.random, examples.of_concept, false);
    const Vector full = refitter.full();
    const Matrix halves = fit::half_runs(
        refitter, setting.halves, {.seed = options.seed, .key = static_cast<std::uint64_t>(i), .threads = 1});
    scores.tcav(i) = stats::score(full, stats::indicator_rule());
    for (Index a = 0; a < empty.cols(); ++a) {
      const stats::ScoreRule rule = stats::alpha_rule(setting.alphas[a]);
      scores.population(i, a) = stats::score(problem.truth(), rule);
      scores.smooth(i, a) = stats::score(full, rule);
      scores.extrapolated(i, a) = fit::extrapolate(full, halves, rule);
    }
  });
  return scores;
}

double distance_between(const Matrix& estimates, const Matrix& truth) {
  return std::sqrt((estimates - truth).squaredNorm() / static_cast<double>(truth.size()));
}

std::vector<Figure> attenuation(const PaperOptions& options) {
  const std::vector<Index> sizes = {25, 50, 100, 200, 400, 800};
  Figure figure =
      make_figure("attenuation", "Few examples make a concept look weaker than it is",
                  "Mean score over simulated problems. The CAV’s noise pulls every score towards ½; "
                  "extrapolation from half samples takes part of the pull away, the more the more examples.",
                  {"examples of each class", true}, {"mean score"},
                  {{"α = 3", Style::kJoined, 1},
                   {"α = 3, extrapolated", Style::kJoined, 0},
                   {"α = 3, population", Style::kDashed, 6},
                   {"TCAV", Style::kJoined, 3}});
  Figure errors = make_figure(
      "attenuation_error", "Distance to the population’s score",
      "Root mean squared difference between a score and what unlimited examples would give.", figure.x,
      {"rms error", true}, {{"α = 3", Style::kJoined, 1}, {"α = 3, extrapolated", Style::kJoined, 0}});
  int better = 0;
  bool smaller = true;
  std::vector<Estimate> bias;
  std::vector<double> bias_left;
  for (const Index n : sizes) {
    const AttenuationScores scores = simulate_attenuation({.n_random = n, .n_concept = n}, options);
    figure.curves[0].add(n, sample_moments(Vector(scores.smooth)).mean);
    figure.curves[1].add(n, sample_moments(Vector(scores.extrapolated)).mean);
    figure.curves[2].add(n, scores.population.mean());
    figure.curves[3].add(n, sample_moments(scores.tcav).mean);
    errors.curves[0].add(n, distance_between(scores.smooth, scores.population));
    errors.curves[1].add(n, distance_between(scores.extrapolated, scores.population));
    better += errors.curves[1].y.back() <= errors.curves[0].y.back() ? 1 : 0;
    bias.push_back(sample_moments(Vector(scores.smooth - scores.population)).mean);
    bias_left.push_back((scores.extrapolated - scores.population).mean());
    smaller &= std::abs(bias_left.back()) < std::abs(bias.back().value);
  }
  Claim none = finding("Scores from few examples need no correction (bias at 50 + 50)", {}, bias[1].value,
                       std::abs(bias[1].value) <= 3 * bias[1].error);
  none.deviation = std::abs(bias[1].value) / bias[1].error;
  const double left = bias_left[3] / bias[3].value;
  figure.claims = {none,
                   check("Bias after extrapolation at 50 + 50, smaller at every size", bias_left[1], smaller),
                   finding("Less than half of the bias is left at 200 + 200: share", {}, left, left < 0.5)};
  errors.claims = {check("Extrapolation is closer at 5 or more of the 6 sizes", better, better >= 5)};
  return {figure, errors};
}

}  // namespace atcav::paper
