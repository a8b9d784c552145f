#include "apps/paper/synthetic_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "atcav/base/parallel.h"
#include "atcav/base/random.h"
#include "apps/paper/agreement.h"
#include "atcav/stats/distribution.h"
#include "atcav/stats/normal.h"

namespace atcav::paper {
namespace {

constexpr Index kRuns = 10;
const std::vector<double> kBudgets = {10, 20, 50, 100, 200, 300, 500, 700, 1000};
const std::vector<std::string> kMethods = {"TCAV", "Multi-TCAV", "α*", "α†", "α = 1", "α = 3", "α = 10"};

// TCAV is black, as in the paper.
int colour_of(std::size_t k) { return k == 0 ? 6 : static_cast<int>(k) - 1; }

// α of method `k` ≥ 2.
double alpha_of(std::size_t k, const stats::ScoreModel& model) {
  if (k == 2) return stats::model_alpha_star(model, kRuns);
  if (k == 3) return stats::model_alpha_dagger(model);
  return k == 4 ? 1 : k == 5 ? 3 : 10;
}

stats::Moments exact(std::size_t k, const stats::ScoreModel& model) {
  if (k == 0) return stats::tcav_moments(model);
  if (k == 1) return stats::multi_tcav_moments(model, kRuns);
  return stats::alpha_tcav_moments(model, alpha_of(k, model));
}

// draws × methods.
Eigen::MatrixXd simulate(const stats::ScoreModel& model, Index draws, Stream& stream) {
  Eigen::MatrixXd scores(draws, static_cast<Index>(kMethods.size()));
  const double run_error = model.sigma * std::sqrt(static_cast<double>(kRuns) / model.samples);
  for (Index i = 0; i < draws; ++i) {
    double sum = 0;
    Index positive = 0;
    for (Index run = 0; run < kRuns; ++run) {
      const double mean = model.mu + run_error * stream.normal();
      sum += mean;
      positive += mean > 0 ? 1 : 0;
    }
    const double sensitivity = sum / static_cast<double>(kRuns);
    scores(i, 0) = sensitivity > 0 ? 1 : 0;
    scores(i, 1) = static_cast<double>(positive) / static_cast<double>(kRuns);
    for (std::size_t k = 2; k < kMethods.size(); ++k) {
      scores(i, static_cast<Index>(k)) = stats::sigmoid(alpha_of(k, model) * sensitivity);
    }
  }
  return scores;
}

Figure empty_figure(double mu, bool variance) {
  Figure figure;
  const std::string sign = mu < 0 ? "negative" : mu > 0 ? "positive" : "zero";
  figure.id = fmt::format("scores_{}_{}", variance ? "variance" : "mean", sign);
  figure.title = fmt::format("{} of the scores, μ = {}", variance ? "Variance" : "Mean", mu);
  figure.caption = fmt::format(
      "σ = 1, s = {} for Multi-TCAV and α*. Points: simulation with two standard errors; lines: exact "
      "theory; "
      "dashes: the paper’s approximation.",
      kRuns);
  figure.x = {"budget N", true, {}};
  figure.y = {variance ? "variance" : "mean", variance && mu != 0, {}};
  return figure;
}

// Rare events say little: with fewer than ten expected, neither mean nor variance of a count can be judged.
bool judged(std::size_t method, const stats::Moments& exact, Index draws) {
  return method >= 2 || static_cast<double>(draws) * exact.variance >= 10;
}

void add_curves(Figure& figure, std::size_t method, double mu, bool variance) {
  const int colour = colour_of(method);
  Curve line{kMethods[method] + ", exact", {}, {}, {}, Style::kLine, colour, false};
  Curve dashes{kMethods[method] + ", approximate", {}, {}, {}, Style::kDashed, colour, false};
  for (const double samples : grid(kBudgets.front(), kBudgets.back(), 41, true)) {
    const stats::ScoreModel model{.mu = mu, .sigma = 1, .samples = samples};
    const stats::Moments moments = exact(method, model);
    line.x.push_back(samples);
    line.y.push_back(variance ? moments.variance : moments.mean);
    if (method < 2) continue;
    const stats::Moments rough = stats::alpha_tcav_moments_approximate(model, alpha_of(method, model));
    dashes.x.push_back(samples);
    dashes.y.push_back(variance ? rough.variance : rough.mean);
  }
  figure.curves.push_back(line);
  if (method >= 2) figure.curves.push_back(dashes);
}

std::vector<Figure> figures_of(double mu, const std::vector<Eigen::MatrixXd>& simulated) {
  std::vector<Figure> figures = {empty_figure(mu, false), empty_figure(mu, true)};
  for (int variance = 0; variance < 2; ++variance) {
    Figure& figure = figures[static_cast<std::size_t>(variance)];
    Agreement on_exact;
    Agreement on_approximate;
    double worst = 0;
    for (std::size_t k = 0; k < kMethods.size(); ++k) {
      Curve points{kMethods[k], kBudgets, {}, {}, Style::kPoints, colour_of(k), true};
      for (std::size_t i = 0; i < kBudgets.size(); ++i) {
        const stats::ScoreModel model{.mu = mu, .sigma = 1, .samples = kBudgets[i]};
        const SampleMoments found = sample_moments(simulated[i].col(static_cast<Index>(k)));
        const stats::Moments theory = exact(k, model);
        const double value = variance != 0 ? found.variance : found.mean;
        const double error = variance != 0 ? found.variance_error : found.mean_error;
        points.y.push_back(value);
        points.error.push_back(error);
        if (!judged(k, theory, simulated[i].rows())) continue;
        on_exact.add(value, variance != 0 ? theory.variance : theory.mean, error);
        if (k < 2) continue;
        const stats::Moments rough = stats::alpha_tcav_moments_approximate(model, alpha_of(k, model));
        on_approximate.add(value, variance != 0 ? rough.variance : rough.mean, error);
        worst = std::max(worst, variance != 0 ? std::abs(rough.variance / theory.variance - 1)
                                              : std::abs(rough.mean - theory.mean));
      }
      figure.curves.push_back(points);
      add_curves(figure, k, mu, variance != 0);
    }
    figure.claims.push_back(on_exact.claim(fmt::format(
        "Exact theory within {} standard errors at all {} points", kMostDeviation, on_exact.points())));
    Claim rough = on_approximate.finding(
        variance != 0
            ? "The paper’s approximate variance; ours: its largest relative error against exact theory"
            : "The paper’s approximate mean; ours: its largest error against exact theory");
    rough.ours = worst;
    figure.claims.push_back(rough);
  }
  return figures;
}

}  // namespace

std::vector<Figure> synthetic_scores(const PaperOptions& options) {
  const std::vector<double> mus = {-0.1, 0, 0.1};
  const auto budgets = static_cast<Index>(kBudgets.size());
  std::vector<Eigen::MatrixXd> simulated(mus.size() * kBudgets.size());
  parallel_for(static_cast<Index>(simulated.size()), options.threads, [&](Index task) {
    const auto place = static_cast<std::size_t>(task);
    const stats::ScoreModel model{
        .mu = mus[place / kBudgets.size()], .sigma = 1, .samples = kBudgets[place % kBudgets.size()]};
    Stream stream(options.seed, {kTaskSimulation, key_word("synthetic_scores"), place});
    simulated[place] = simulate(model, 400 * options.repeats, stream);
  });
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < mus.size(); ++i) {
    const auto first = simulated.begin() + static_cast<Index>(i) * budgets;
    for (Figure& figure : figures_of(mus[i], {first, first + budgets})) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace atcav::paper
