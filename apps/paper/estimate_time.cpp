#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "apps/paper/real.h"
#include "atcav/progress.h"
#include "atcav/score.h"

namespace atcav::paper {
namespace {

constexpr Index kTimedBudget = 1000;
constexpr int kTimes = 15;
const std::vector<Index> kTimedRuns = {1, 10, 50};

double median_milliseconds(const std::function<double()>& estimate) {
  Stopwatch watch;
  // The sum is used, so that no compiler can leave the work out.
  double sum = 0;
  for (int i = 0; i < kTimes; ++i) {
    sum += estimate();
    watch.lap("");
  }
  std::vector<std::pair<std::string, double>> laps = watch.seconds();
  std::nth_element(laps.begin(), laps.begin() + kTimes / 2, laps.end());
  return 1000 * laps[kTimes / 2].second + 0 * sum;
}

// Time does not depend on the values, so the examples may be any.
double direct_estimate(const MatrixF& random, const MatrixF& of_concept, const MatrixF& gradients,
                       Index runs) {
  double sum = 0;
  for (Index run = 0; run < runs; ++run) {
    const Index first = run * random.rows() / runs;
    const Index last = (run + 1) * random.rows() / runs;
    const Eigen::VectorXf w =
        (of_concept.colwise().mean() - random.middleRows(first, last - first).colwise().mean()).transpose();
    const Vector s = (gradients * w).cast<double>();
    sum += runs == 1 ? stats::score(s, stats::alpha_rule(1)) : stats::tcav(s);
  }
  return sum / static_cast<double>(runs);
}

}  // namespace

std::vector<Figure> estimate_time(const std::vector<LayerData>& layers, const PaperOptions& options) {
  const auto smallest = std::ranges::min_element(
      layers, [](const auto& a, const auto& b) { return a.gradients.cols() < b.gradients.cols(); });
  const RealCase one = real_cases({*smallest}).front();
  const fit::MeanRefitter refitter(one.random, one.of_concept, false);
  const MatrixF gradients = smallest->gradients.topRows(one.random.inputs());
  const MatrixF random = MatrixF::Constant(kTimedBudget, gradients.cols(), 1);
  const MatrixF of_concept = MatrixF::Constant(one.of_concept.count(), gradients.cols(), 2);

  Figure figure = make_figure(
      "wall_clock", "Wall-clock time per estimate",
      fmt::format("{}: d = {}, {} random and {} concept examples, {} inputs, one thread.", one.label,
                  gradients.cols(), kTimedBudget, one.of_concept.count(), one.random.inputs()),
      {"estimate", false, {"α-TCAV", "Multi-TCAV, s = 10", "Multi-TCAV, s = 50"}}, {"milliseconds", true},
      {{"in d columns, as the paper", Style::kJoined, 1}, {"from the pass, as atcav", Style::kJoined, 0}});
  Stream stream(options.seed, {kTaskRepeat, key_word("estimate_time")});
  const DrawnRows rows = draw_rows(refitter, kTimedBudget, false, stream);
  for (std::size_t k = 0; k < kTimedRuns.size(); ++k) {
    const Index runs = kTimedRuns[k];
    figure.curves[0].add(
        k, median_milliseconds([&] { return direct_estimate(random, of_concept, gradients, runs); }));
    figure.curves[1].add(k, median_milliseconds([&] {
                           if (runs > 1) return multi_tcav(refitter, rows, runs);
                           return stats::score(refitter.sensitivities(rows.random, rows.of_concept),
                                               stats::alpha_rule(1));
                         }));
  }
  const auto faster = [&](const std::string& text, std::optional<double> paper, std::size_t curve,
                          std::size_t k, double bound) {
    const double times = figure.curves[curve].y[k] / figure.curves[curve].y[0];
    return finding("α-TCAV over Multi-TCAV, " + text, paper, times, times > bound);
  };
  figure.claims = {faster("s = 10, in d columns: times faster", 2.3, 0, 1, 1.5),
                   faster("s = 50, in d columns: times faster (paper 5–8)", 5.0, 0, 2, 4),
                   faster("s = 50, from the pass: times faster", {}, 1, 2, 1)};
  return {figure};
}

}  // namespace atcav::paper
