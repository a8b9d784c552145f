#include <algorithm>
#include <cmath>

#include "apps/paper/agreement.h"
#include "apps/paper/synthetic.h"
#include "atcav/interval.h"
#include "atcav/score.h"
#include "fit/permutation.h"
#include "fit/resampling.h"

namespace atcav::paper {
namespace {

constexpr Index kConceptExamples = 50;
constexpr Index kTestRuns = 10;
constexpr Index kPermutations = 199;
constexpr double kLevel = 0.05;

}  // namespace

PValues simulate_p_values(const ProblemOptions& problem_options, const PaperOptions& options) {
  const Index problems = 8 * options.repeats;
  PValues p{std::vector<double>(static_cast<std::size_t>(problems)), {}};
  p.welch = p.permutation;
  for_each_draw(problems, options, "significance_level", {}, [&](Index i, Stream& stream) {
    const auto number = static_cast<std::uint64_t>(i);
    const Problem problem = make_problem(problem_options, stream);
    const Examples examples = draw_examples(problem, kTestRuns * kConceptExamples, kConceptExamples, stream);
    const fit::MeanRefitter refitter(examples.random, examples.of_concept, false);
    const fit::ResamplingOptions resampling{.seed = options.seed, .key = number, .threads = 1};
    p.permutation[number] = fit::permutation_p(refitter, stats::effective_rule(), kPermutations, resampling);
    const Vector runs = scores_of(fit::split_runs(refitter, kTestRuns, fit::Split::kRandom, resampling),
                                  stats::indicator_rule());
    const Vector null =
        scores_of(fit::random_null_runs(refitter, kTestRuns, resampling), stats::indicator_rule());
    p.welch[number] = stats::welch_t_test(runs, null).p;
  });
  return p;
}

Estimate share_at_most(const std::vector<double>& p, double level) {
  return share(std::ranges::count_if(p, [level](double value) { return value <= level; }), std::ssize(p));
}

std::vector<Figure> significance_level(const PaperOptions& options) {
  const PValues p = simulate_p_values({.null = true}, options);
  const auto distribution = [](const Curve& curve, const std::vector<double>& values) {
    return function_curve(curve, grid(0, 1, 101),
                          [&](double level) { return share_at_most(values, level).value; });
  };
  Figure figure = make_figure(
      "false_alarms", "False alarms when the concept is nothing",
      "Share of p-values at or below each level. A test that keeps its level lies on the diagonal. "
      "The t-test’s runs share the concept’s examples, so they agree with each other more than it "
      "assumes.",
      {"level"}, {"false alarms"},
      {distribution({"t-test over runs (the usual one)", Style::kLine, 1}, p.welch),
       distribution({"permutation of labels (ours)", Style::kLine, 0}, p.permutation),
       {"level kept", Style::kDashed, 6, true, {0, 1}, {0, 1}}});
  const double noise = std::sqrt(kLevel * (1 - kLevel) / static_cast<double>(p.welch.size()));
  const double ours = share_at_most(p.permutation, kLevel).value;
  const double usual = share_at_most(p.welch, kLevel).value;
  figure.claims = {
      check("Permutation test: false alarms at level 0.05", ours, ours <= kLevel + 3 * noise),
      finding("The usual t-test over runs keeps its level of 0.05", {}, usual, usual <= kLevel + 3 * noise)};
  figure.claims[0].deviation = std::abs(ours - kLevel) / noise;
  figure.claims[1].deviation = (usual - kLevel) / noise;
  return {figure};
}

}  // namespace atcav::paper
