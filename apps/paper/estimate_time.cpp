#include "apps/paper/estimate_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "atcav/run/stopwatch.h"
#include "atcav/stats/score.h"

namespace atcav::paper {
namespace {

constexpr Index kBudget = 1000;
constexpr int kTimes = 15;
const std::vector<Index> kRuns = {1, 10, 50};

double median_seconds(const std::function<double()>& estimate) {
  std::vector<double> seconds;
  // The sum is used, so that no compiler can leave the work out.
  double sum = 0;
  for (int i = 0; i < kTimes; ++i) {
    Stopwatch watch;
    sum += estimate();
    seconds.push_back(watch.lap());
  }
  std::nth_element(seconds.begin(), seconds.begin() + kTimes / 2, seconds.end());
  return seconds[kTimes / 2] + 0 * sum;
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

std::vector<Figure> estimate_time(const std::vector<LayerPass>& layers,
                                  const PaperOptions& options) {
  const auto smallest = std::min_element(layers.begin(), layers.end(), [](const auto& a, const auto& b) {
    return a.pass.dimension < b.pass.dimension;
  });
  const std::vector<RealCase> cases = real_cases({*smallest});
  const RealCase& one = cases.front();
  const span::MeanRefitter refitter(one.random, one.of_concept, false);
  const MatrixF gradients = smallest->gradients.topRows(one.random.inputs());
  const MatrixF random = MatrixF::Constant(kBudget, gradients.cols(), 1);
  const MatrixF of_concept = MatrixF::Constant(one.of_concept.count(), gradients.cols(), 2);

  Figure figure;
  figure.id = "wall_clock";
  figure.title = "Wall-clock time per estimate";
  figure.caption =
      fmt::format("{}: d = {}, {} random and {} concept examples, {} inputs, one thread.", one.label,
                  gradients.cols(), kBudget, one.of_concept.count(), one.random.inputs());
  figure.x = {"estimate", false, {"α-TCAV", "Multi-TCAV, s = 10", "Multi-TCAV, s = 50"}};
  figure.y = {"milliseconds", true, {}};
  figure.curves = {{"in d columns, as the paper", {}, {}, {}, Style::kJoined, 1, true},
                   {"from the pass, as atcav", {}, {}, {}, Style::kJoined, 0, true}};
  Stream stream(options.seed, {kTaskRepeat, key_word("estimate_time")});
  const DrawnRows rows = draw_rows(refitter, kBudget, false, stream);
  for (std::size_t k = 0; k < kRuns.size(); ++k) {
    const double direct =
        median_seconds([&] { return direct_estimate(random, of_concept, gradients, kRuns[k]); });
    const double reduced = median_seconds([&] {
      if (kRuns[k] > 1) return multi_tcav(refitter, rows, kRuns[k]);
      return stats::score(refitter.sensitivities(rows.random, rows.of_concept), stats::alpha_rule(1));
    });
    for (Curve& curve : figure.curves) curve.x.push_back(static_cast<double>(k));
    figure.curves[0].y.push_back(1000 * direct);
    figure.curves[1].y.push_back(1000 * reduced);
  }
  const auto times = [&](std::size_t curve, std::size_t k) {
    return figure.curves[curve].y[k] / figure.curves[curve].y[0];
  };
  figure.claims = {
      {"α-TCAV over Multi-TCAV, s = 10, in d columns: times faster", 2.3, times(0, 1), {}, times(0, 1) > 1.5},
      {"α-TCAV over Multi-TCAV, s = 50, in d columns: times faster (paper 5–8)",
       5.0,
       times(0, 2),
       {},
       times(0, 2) > 4},
      {"The same from the pass, s = 50", {}, times(1, 2), {}, true}};
  return {figure};
}

}  // namespace atcav::paper
