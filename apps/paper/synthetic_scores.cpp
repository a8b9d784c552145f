#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/paper/agreement.h"
#include "apps/paper/synthetic.h"
#include "atcav/theory.h"
#include "stats/normal.h"

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
  Eigen::MatrixXd scores(draws, std::ssize(kMethods));
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
  const std::string sign = mu < 0 ? "negative" : mu > 0 ? "positive" : "zero";
  return {
      .id = fmt::format("scores_{}_{}", variance ? "variance" : "mean", sign),
      .title = fmt::format("{} of the scores, μ = {}", variance ? "Variance" : "Mean", mu),
      .caption = fmt::format(
          "σ = 1, s = {} for Multi-TCAV and α*. Points: simulation with two standard errors; lines: exact "
          "theory; dashes: the paper’s approximation.",
          kRuns),
      .x = {"budget N", true},
      .y = {variance ? "variance" : "mean", variance && mu != 0}};
}

// Rare events say little: with fewer than ten expected, neither mean nor variance of a count can be judged.
bool judged(std::size_t method, const stats::Moments& exact, Index draws) {
  return method >= 2 || static_cast<double>(draws) * exact.variance >= 10;
}

stats::ScoreModel model_of(double mu, double samples) { return {.mu = mu, .sigma = 1, .samples = samples}; }

Figure figure_of(double mu, bool variance, const std::vector<Eigen::MatrixXd>& simulated) {
  const auto pick = [variance](const auto& moments) { return variance ? moments.variance : moments.mean; };
  const auto approximate = [](std::size_t k, const stats::ScoreModel& model) {
    return stats::alpha_tcav_moments_approximate(model, alpha_of(k, model));
  };
  Figure figure = empty_figure(mu, variance);
  Agreement on_exact;
  Agreement on_approximate;
  double worst = 0;
  for (std::size_t k = 0; k < kMethods.size(); ++k) {
    Curve points{kMethods[k], Style::kPoints, colour_of(k)};
    for (std::size_t i = 0; i < kBudgets.size(); ++i) {
      const stats::ScoreModel model = model_of(mu, kBudgets[i]);
      const Estimate found = pick(sample_moments(simulated[i].col(static_cast<Index>(k))));
      const stats::Moments theory = exact(k, model);
      points.add(kBudgets[i], found);
      if (!judged(k, theory, simulated[i].rows())) continue;
      on_exact.add(found, pick(theory));
      if (k < 2) continue;
      const double rough = pick(approximate(k, model));
      on_approximate.add(found, rough);
      worst = std::max(worst, std::abs(variance ? rough / theory.variance - 1 : rough - theory.mean));
    }
    figure.curves.push_back(points);
    const std::vector<double> budgets = grid(kBudgets.front(), kBudgets.back(), 41, true);
    figure.curves.push_back(function_curve({kMethods[k] + ", exact", Style::kLine, colour_of(k), false},
                                           budgets,
                                           [&](double n) { return pick(exact(k, model_of(mu, n))); }));
    if (k < 2) continue;
    figure.curves.push_back(
        function_curve({kMethods[k] + ", approximate", Style::kDashed, colour_of(k), false}, budgets,
                       [&](double n) { return pick(approximate(k, model_of(mu, n))); }));
  }
  Claim rough = on_approximate.finding(
      variance ? "The paper’s approximate variance; here: its largest relative error against exact theory"
               : "The paper’s approximate mean; here: its largest error against exact theory");
  rough.ours = worst;
  rough.where = "Sec. The Logit-Normal Distribution";
  figure.claims = {on_exact.check(fmt::format("Exact theory within {} standard errors at all {} points",
                                              kMostDeviation, on_exact.points())),
                   rough};
  return figure;
}

// The paper's table "TCAV_distributions" at one point: its formulas, exact theory and the simulation.
Figure table_of(const stats::ScoreModel& model, const Eigen::MatrixXd& simulated) {
  Figure table = make_figure(
      "score_laws", "Mean and variance of the three scores",
      fmt::format(
          "The paper’s table: Bernoulli, binomial over s and logit-normal at μ = {}, σ = 1, N = {}, s = "
          "{}. The formulas of TCAV and Multi-TCAV are exact.",
          model.mu, model.samples, kRuns),
      {"method and moment"}, {"value"},
      {{"the paper’s formula", Style::kDashed, 5},
       {"exact", Style::kLine, 0},
       {"simulated", Style::kPoints, 1}});
  Agreement agreement;
  for (std::size_t k = 0; k < kMethods.size(); ++k) {
    const stats::Moments theory = exact(k, model);
    const stats::Moments rough =
        k < 2 ? theory : stats::alpha_tcav_moments_approximate(model, alpha_of(k, model));
    const SampleMoments found = sample_moments(simulated.col(static_cast<Index>(k)));
    for (const bool variance : {false, true}) {
      const std::size_t at = table.x.labels.size();
      table.x.labels.push_back(kMethods[k] + (variance ? ", variance" : ", mean"));
      table.curves[0].add(at, variance ? rough.variance : rough.mean);
      table.curves[1].add(at, variance ? theory.variance : theory.mean);
      table.curves[2].add(at, variance ? found.variance : found.mean);
      agreement.add(variance ? found.variance : found.mean, variance ? theory.variance : theory.mean);
    }
  }
  table.claims = {agreement.check("Exact means and variances against simulation")};
  return table;
}

// What the paper says of its figure, under its own model, where all of it is exact.
std::vector<Claim> figure_claims(const std::vector<double>& mus) {
  const std::string where = "Figure synthethic_data_TCAV";
  Index between = 0, cells = 0, decisive = 0;
  double gap = 0;
  for (const double mu : mus) {
    for (const double budget : kBudgets) {
      const stats::ScoreModel model = model_of(mu, budget);
      const double tcav = exact(0, model).mean;
      const double multi = exact(1, model).mean;
      const double dagger = exact(3, model).mean;
      gap = std::max(gap, std::abs(exact(2, model).mean - multi));
      if (mu == 0) continue;
      ++cells;
      between += std::min(tcav, multi) <= dagger && dagger <= std::max(tcav, multi) ? 1 : 0;
      decisive += std::abs(dagger - 0.5) >= std::abs(multi - 0.5) ? 1 : 0;
    }
  }
  const auto share_of = [&](Index count) { return static_cast<double>(count) / static_cast<double>(cells); };
  return {claimed(where, finding("α† lies between TCAV and Multi-TCAV in mean (share of cells)", 1.0,
                                 share_of(between), between == cells)),
          claimed(where, finding("α† is more decisive than Multi-TCAV (share of cells)", 1.0,
                                 share_of(decisive), decisive == cells)),
          claimed("Eq. alpha_star",
                  finding("α* has Multi-TCAV’s mean (largest distance below 0.02)", 0.0, gap, gap < 0.02))};
}

}  // namespace

std::vector<Figure> synthetic_scores(const PaperOptions& options) {
  const std::vector<double> mus = {-0.1, 0, 0.1};
  const auto budgets = std::ssize(kBudgets);
  std::vector<Eigen::MatrixXd> simulated(mus.size() * kBudgets.size());
  for_each_draw(std::ssize(simulated), options, "synthetic_scores", {}, [&](Index i, Stream& stream) {
    const auto place = static_cast<std::size_t>(i);
    const stats::ScoreModel model = model_of(mus[place / kBudgets.size()], kBudgets[place % kBudgets.size()]);
    simulated[place] = simulate(model, 400 * options.repeats, stream);
  });
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < mus.size(); ++i) {
    const auto first = simulated.begin() + static_cast<Index>(i) * budgets;
    for (const bool variance : {false, true}) {
      figures.push_back(figure_of(mus[i], variance, {first, first + budgets}));
    }
  }
  constexpr std::size_t kTablePlace = 3;  // N = 100
  figures.push_back(
      table_of(model_of(mus[2], kBudgets[kTablePlace]), simulated[2 * kBudgets.size() + kTablePlace]));
  std::ranges::move(figure_claims(mus), std::back_inserter(figures.back().claims));
  return figures;
}

}  // namespace atcav::paper
