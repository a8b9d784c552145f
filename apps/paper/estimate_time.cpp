#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "apps/paper/real.h"
#include "atcav/options.h"
#include "atcav/score.h"
#include "core/stopwatch.h"

namespace atcav::paper {
namespace {

constexpr Index kTimedBudget = 1000;
constexpr std::size_t kTimedCases = 6;
constexpr Index kMostTimedColumns = 32'768;
constexpr int kTimes = 15;
const std::vector<Index> kTimedRuns = {1, 10, 50};
const std::string kTimeFigure = "Figure compute";

// The shortest: other work on the machine only makes it longer.
double least_milliseconds(const std::function<double()>& estimate) {
  Stopwatch watch;
  // The sum is used, so that no compiler can leave the work out.
  double sum = 0;
  for (int i = 0; i < kTimes; ++i) {
    sum += estimate();
    watch.lap("");
  }
  double least = HUGE_VAL;
  for (const auto& [name, seconds] : watch.seconds()) least = std::min(least, seconds);
  return 1000 * least + 0 * sum;
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

// α-TCAV and Multi-TCAV with more and more runs.
using Times = std::array<double, 3>;

Times direct_times(const RealCase& one) {
  const Index columns = std::min(one.columns, kMostTimedColumns);
  const MatrixF gradients = MatrixF::Constant(one.inputs, columns, 1);
  const MatrixF random = MatrixF::Constant(kTimedBudget, columns, 1);
  const MatrixF of_concept = MatrixF::Constant(one.refitter->concept_rows(), columns, 2);
  Times times{};
  for (std::size_t k = 0; k < times.size(); ++k)
    times[k] =
        least_milliseconds([&] { return direct_estimate(random, of_concept, gradients, kTimedRuns[k]); }) *
        static_cast<double>(one.columns) / static_cast<double>(columns);
  return times;
}

Times pass_times(const RealCase& one, const PaperOptions& options) {
  Stream stream(options.seed, {kTaskRepeat, key_word("estimate_time")});
  const fit::Choice rows = draw_rows(*one.refitter, kTimedBudget, false, stream);
  Times times{};
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Index runs = kTimedRuns[k];
    times[k] = least_milliseconds([&] {
      double sum = 0;
      for (Index run = 0; run < runs; ++run) {
        const fit::Choice part = part_of_rows(rows, run, runs);
        const Vector s = one.refitter->sensitivities(part.random, part.concept_rows);
        sum += runs == 1 ? stats::score(s, stats::alpha_rule(1)) : stats::tcav(s);
      }
      return sum / static_cast<double>(runs);
    });
  }
  return times;
}

// How many times as long as α-TCAV, least and most over the cases.
Claim faster(const std::string& text, std::optional<double> paper, const std::vector<Times>& all,
             std::size_t k, double bound) {
  double least = HUGE_VAL;
  double most = 0;
  for (const Times& times : all) {
    least = std::min(least, times[k] / times[0]);
    most = std::max(most, times[k] / times[0]);
  }
  return finding(fmt::format("{}: α-TCAV over Multi-TCAV, s = {}, so many times faster (most {:.3g}; least)",
                             text, kTimedRuns[k], most),
                 paper, least, least > bound);
}

}  // namespace

std::vector<Figure> estimate_time(const RealModel& model, const PaperOptions& options) {
  std::vector<RealCase> cases = real_cases(model, options.threads);
  cases.resize(std::min(cases.size(), kTimedCases));
  Figure figure = make_figure("wall_clock", "Wall-clock time per estimate",
                              fmt::format("{} random examples, one thread; the shortest of {} for {} cases.",
                                          kTimedBudget, kTimes, cases.size()),
                              {"estimate", false, {"α-TCAV", "Multi-TCAV, s = 10", "Multi-TCAV, s = 50"}},
                              {"milliseconds", true});
  const bool mean = stats::is_mean_difference(model.cav.method);
  std::vector<Times> direct, with_network, from_pass;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto add = [&](const std::string& how, std::vector<Times>& list, const Times& times, int colour) {
      list.push_back(times);
      Curve curve{how, Style::kJoined, colour, c == 0};
      if (c > 0) curve.name += ", " + cases[c].label;
      for (std::size_t k = 0; k < times.size(); ++k) curve.add(k, times[k]);
      figure.curves.push_back(std::move(curve));
    };
    if (mean) add("in d columns, as the paper", direct, direct_times(cases[c]), 1);
    if (mean && model.seconds_per_example) {
      const double network = 1000 * *model.seconds_per_example *
                             static_cast<double>(kTimedBudget + cases[c].refitter->concept_rows());
      Times times = direct.back();
      for (double& time : times) time += network;
      add("the same and the network", with_network, times, 2);
    }
    add("from the pass, as atcav", from_pass, pass_times(cases[c], options), 0);
  }
  if (mean) {
    figure.claims = {claimed(kTimeFigure, faster("in d columns", 2.3, direct, 1, 1.5)),
                     claimed(kTimeFigure, faster("in d columns (paper 5–8)", 5.0, direct, 2, 4))};
  }
  if (!with_network.empty()) {
    figure.claims.push_back(
        claimed(kTimeFigure, faster("with the network’s time (paper 5–8)", 5.0, with_network, 2, 4)));
  } else {
    figure.claims.push_back(
        untested(kTimeFigure, "Times with the network’s own (paper 5–8× at s = 50)",
                 mean ? "all examples came from the cache" : "the paper times PatternCAV"));
  }
  figure.claims.push_back(faster("from the pass", {}, from_pass, 2, 1));
  return {figure};
}

}  // namespace atcav::paper
