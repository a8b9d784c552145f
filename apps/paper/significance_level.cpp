#include "apps/paper/significance_level.h"

#include <algorithm>
#include <cmath>

#include "atcav/base/parallel.h"
#include "apps/paper/agreement.h"
#include "apps/paper/problem.h"
#include "atcav/span/permutation.h"
#include "atcav/span/resampling.h"
#include "atcav/stats/score.h"
#include "atcav/stats/significance.h"

namespace atcav::paper {
namespace {

constexpr Index kConcept = 50;
constexpr Index kRuns = 10;
constexpr Index kPermutations = 199;
constexpr double kLevel = 0.05;

Vector run_scores(const Matrix& runs) {
  Vector scores(runs.rows());
  for (Index i = 0; i < runs.rows(); ++i) scores(i) = stats::tcav(Vector(runs.row(i)));
  return scores;
}

Curve distribution(const std::string& name, std::vector<double> p, int colour) {
  std::sort(p.begin(), p.end());
  Curve curve{name, {}, {}, {}, Style::kLine, colour, true};
  for (const double level : grid(0, 1, 101)) {
    const auto below = std::upper_bound(p.begin(), p.end(), level) - p.begin();
    curve.x.push_back(level);
    curve.y.push_back(static_cast<double>(below) / static_cast<double>(p.size()));
  }
  return curve;
}

Share false_alarms(const std::vector<double>& p) {
  return share(std::count_if(p.begin(), p.end(), [](double value) { return value <= kLevel; }),
               static_cast<Index>(p.size()));
}

}  // namespace

std::vector<Figure> significance_level(const PaperOptions& options) {
  const Index problems = 8 * options.repeats;
  std::vector<double> permutation(static_cast<std::size_t>(problems));
  std::vector<double> welch(permutation.size());
  parallel_for(problems, options.threads, [&](Index i) {
    const auto number = static_cast<std::uint64_t>(i);
    Stream stream(options.seed, {kTaskSimulation, key_word("significance_level"), number});
    const Problem problem = make_problem({.null = true}, stream);
    const Examples examples = draw_examples(problem, kRuns * kConcept, kConcept, stream);
    const span::MeanRefitter refitter(examples.random, examples.of_concept, false);
    const span::ResamplingOptions resampling{.seed = options.seed, .key = number, .threads = 1};
    const auto place = static_cast<std::size_t>(i);
    permutation[place] = span::permutation_p(refitter, stats::effective_rule(), kPermutations, resampling);
    welch[place] =
        stats::welch_t_test(run_scores(span::split_runs(refitter, kRuns, span::Split::kRandom, resampling)),
                            run_scores(span::random_null_runs(refitter, kRuns, resampling)))
            .p;
  });
  Figure figure;
  figure.id = "false_alarms";
  figure.title = "False alarms when the concept is nothing";
  figure.caption =
      "Share of p-values at or below each level. A test that keeps its level lies on the diagonal. The "
      "t-test’s "
      "runs share the concept’s examples, so they agree with each other more than it thinks.";
  figure.x = {"level", false, {}};
  figure.y = {"false alarms", false, {}};
  figure.curves = {distribution("t-test over runs (the field’s)", welch, 1),
                   distribution("permutation of labels (ours)", permutation, 0),
                   {"honest", {0, 1}, {0, 1}, {}, Style::kDashed, 6, true}};
  const Share ours = false_alarms(permutation);
  const Share field = false_alarms(welch);
  const double noise = std::sqrt(kLevel * (1 - kLevel) / static_cast<double>(problems));
  Claim kept{"Permutation test: false alarms at level 0.05",
             {},
             ours.value,
             std::abs(ours.value - kLevel) / noise,
             ours.value <= kLevel + 3 * noise,
             true};
  Claim field_claim{"The field’s t-test keeps its level of 0.05",
                    {},
                    field.value,
                    (field.value - kLevel) / noise,
                    field.value <= kLevel + 3 * noise};
  figure.claims = {kept, field_claim};
  return {figure};
}

}  // namespace atcav::paper
