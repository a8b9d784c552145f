#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/paper/agreement.h"
#include "apps/paper/synthetic.h"
#include "atcav/random.h"
#include "atcav/theory.h"
#include "stats/logit_normal.h"
#include "stats/normal.h"

namespace atcav::paper {
namespace {

// The paper's: p = 0.7, 20 runs, logit-normals around logit(0.7) with scales 3 and ½.
constexpr double kProbability = 0.7;
constexpr int kShownRuns = 20;
constexpr double kLocation = 0.847;
constexpr double kWide = 3;
constexpr double kNarrow = 0.5;

Figure sigmoid_family() {
  Figure figure = make_figure("sigmoids", "From indicator to sigmoid",
                              "s(αx) for growing α tends to the indicator of x > 0, except at 0, where every "
                              "sigmoid is ½ and the indicator is 0 (the paper’s text says 1).",
                              {"sensitivity x"}, {"score of one input"});
  int colour = 0;
  for (const double alpha : {0.5, 1.0, 3.0, 10.0}) {
    figure.curves.push_back(function_curve({fmt::format("α = {}", alpha), Style::kLine, colour++},
                                           grid(-5, 5, 201),
                                           [alpha](double x) { return stats::sigmoid(alpha * x); }));
  }
  figure.curves.push_back({"indicator", Style::kDashed, 6, true, {-5, 0, 0, 5}, {0, 0, 1, 1}});
  return figure;
}

// The paper's figure that compares the three scores: nine CAVs of the whole budget, or three of a third of
// it, their sensitivities for one input, and what each score makes of them.
std::vector<Figure> three_scores(const PaperOptions& options) {
  constexpr int kShownCavs = 9;
  constexpr Index kShownExamples = 90;
  Stream stream(options.seed, {kTaskSimulation, key_word("three_scores")});
  const Problem problem = make_problem({.inputs = 1, .length = 0.8, .pull = 1}, stream);
  const Matrix whole = draw_sensitivities(problem, kShownExamples, kShownExamples, kShownCavs, stream);
  const Matrix thirds =
      draw_sensitivities(problem, kShownExamples / 3, kShownExamples / 3, kShownCavs, stream);
  const double unit = std::sqrt((whole.squaredNorm() + thirds.squaredNorm()) / (2.0 * kShownCavs));
  const auto points = [&](const Matrix& s, const std::function<double(double)>& score) {
    Curve curve{"CAVs", Style::kPoints, 1};
    for (Index i = 0; i < s.rows(); ++i) curve.add(s(i, 0) / unit, score(s(i, 0) / unit));
    return curve;
  };
  const auto panel = [](const std::string& name, const std::string& title, const std::string& caption) {
    return make_figure("comparison_" + name, title, caption, {"sensitivity ⟨z, w⟩, in root mean squares"},
                       {"score of one input"});
  };
  Figure hard = panel("tcav", "TCAV: a hard decision on a single CAV",
                      "Nine CAVs of the whole budget, of which one is drawn: yes or no.");
  hard.curves = {{"indicator", Style::kLine, 0, true, {-3, 0, 0, 3}, {0, 0, 1, 1}},
                 points(whole, [](double x) { return x > 0 ? 1.0 : 0.0; })};
  Figure multi = panel("multi", "Multi-TCAV: an average of noisy hard decisions",
                       "CAVs of a third of the budget scatter more. The stairs: what three of them that "
                       "scatter so vote for, on average, around each sensitivity.");
  const auto votes = [&](double x) {
    double sum = 0;
    for (Index i = 0; i < 3; ++i) sum += x + (thirds(i, 0) - thirds.topRows(3).mean()) / unit > 0 ? 1 : 0;
    return sum / 3;
  };
  multi.curves = {function_curve({"average vote", Style::kLine, 0}, grid(-3, 3, 241), votes),
                  points(thirds, [](double x) { return x > 0 ? 1.0 : 0.0; })};
  Figure smooth = panel("alpha", "α-TCAV: a smooth decision on a single CAV",
                        "The same nine CAVs as for TCAV: sensitivities near 0 score near ½, so the score "
                        "varies less.");
  int colour = 2;
  for (const double alpha : {0.5, 1.0, 2.0})
    smooth.curves.push_back(function_curve({fmt::format("α = {}", alpha), Style::kLine, colour++},
                                           grid(-3, 3, 121),
                                           [alpha](double x) { return stats::sigmoid(alpha * x); }));
  smooth.curves.push_back(points(whole, [](double x) { return stats::sigmoid(x); }));
  return {hard, multi, smooth};
}

// The paper's figure of two classes' scores, N(-1, 1.1²) and N(1, 0.9²).
Figure two_gaussians() {
  const stats::NormalLaw random{-1, 1.1 * 1.1};
  const stats::NormalLaw of_concept{1, 0.9 * 0.9};
  const auto density = [](const stats::NormalLaw& law, double x) {
    const double sd = std::sqrt(law.variance);
    return stats::normal_pdf((x - law.mean) / sd) / sd;
  };
  const stats::ErrorPrediction best = stats::predict_error(random, of_concept);
  // The paper's quadratic formula; the other root lies outside.
  const double a = 1 / of_concept.variance - 1 / random.variance;
  const double b = 2 * (random.mean / random.variance - of_concept.mean / of_concept.variance);
  const double c =
      std::log(of_concept.variance / random.variance) + 1 / of_concept.variance - 1 / random.variance;
  const double root = std::sqrt(b * b - 4 * a * c);
  const double inside = (-b - root) / (2 * a);
  const double outside = (-b + root) / (2 * a);
  const double eta = best.threshold.value;
  double least = 1;
  for (const double x : grid(-4, 4, 4001))
    least = std::min(least, stats::classification_error(random, of_concept, x));
  Figure figure = make_figure(
      "two_gaussians", "Classification scores of two classes, and the best threshold",
      "Random N(−1, 1.1²), concept N(1, 0.9²). Shaded: what errs at η*; the densities meet once more at η̂.",
      {"score g(x)"}, {"density"});
  figure.curves = {normal_curve("random", random, -4, 4.5, 0),
                   normal_curve("concept", of_concept, -4, 4.5, 1),
                   function_curve({"random rows called concept", Style::kBars, 0}, grid(eta, 2.5, 30),
                                  [&](double x) { return density(random, x); }),
                   function_curve({"concept rows called random", Style::kBars, 1}, grid(-1.5, eta, 30),
                                  [&](double x) { return density(of_concept, x); })};
  figure.marks = {{eta, "η*"}, {outside, "η̂"}};
  const std::string where = "Lemma intersection_of_normal_distribution";
  figure.claims = {
      check("η* is the root of the paper’s quadratic between the means (distance)", std::abs(eta - inside),
            std::abs(eta - inside) < 1e-9),
      check("Densities are equal at η̂ (difference)",
            std::abs(density(random, outside) - density(of_concept, outside)),
            std::abs(density(random, outside) - density(of_concept, outside)) < 1e-12),
      claimed(where, finding("No threshold errs less than η*: least error of 4,001", best.error, least,
                             least >= best.error - 1e-12)),
      claimed(where, finding("One intersection always lies between different means: at N(0, 1), N(0.1, 9)",
                             1.0, 0.0, false))};
  // With close means and unequal variances both lie outside.
  const stats::NormalLaw wide{0.1, 9};
  const stats::Threshold found = stats::optimal_threshold({0, 1}, wide);
  figure.claims.back().ours = found.value > 0 && found.value < 0.1 ? 1 : 0;
  figure.claims.back().holds = figure.claims.back().ours == 1;
  return figure;
}

double logit_normal_density(double x, double scale) {
  const double logit = std::log(x / (1 - x));
  return stats::normal_pdf((logit - kLocation) / scale) / (scale * x * (1 - x));
}

Figure counting_distributions() {
  Figure figure = make_figure(
      "distributions_counts", "TCAV is Bernoulli, Multi-TCAV binomial",
      fmt::format("One input with p = {}: one run, and the mean of {} runs.", kProbability, kShownRuns),
      {"score of one input"}, {"probability"});
  Curve binomial{fmt::format("Multi-TCAV, {} runs", kShownRuns), Style::kPoints, 1};
  for (int k = 0; k <= kShownRuns; ++k) {
    const double log_choose =
        std::lgamma(kShownRuns + 1) - std::lgamma(k + 1) - std::lgamma(kShownRuns - k + 1);
    binomial.add(
        static_cast<double>(k) / kShownRuns,
        std::exp(log_choose + k * std::log(kProbability) + (kShownRuns - k) * std::log(1 - kProbability)));
  }
  figure.curves = {{"TCAV", Style::kPoints, 0, true, {0, 1}, {1 - kProbability, kProbability}}, binomial};
  // The paper prints the binomial's probability of 14 of 20.
  const double peak = binomial.y[14];
  figure.claims = {
      finding("Probability of 14 positive runs of 20", 0.1916, peak, std::abs(peak - 0.1916) < 5e-5)};
  return figure;
}

Figure smooth_distributions(const PaperOptions& options) {
  Figure figure = make_figure(
      "distributions_smooth", "α-TCAV is logit-normal, with one peak or two",
      "A large α (scale 3) has two peaks, like TCAV; a small one (scale ½) has one, like Multi-TCAV.",
      {"score of one input"}, {"density"});
  Agreement agreement;
  int colour = 0;
  for (const double scale : {kWide, kNarrow}) {
    figure.curves.push_back(function_curve({fmt::format("scale {}", scale), Style::kLine, colour},
                                           grid(0.005, 0.995, 199),
                                           [scale](double x) { return logit_normal_density(x, scale); }));
    Stream stream(options.seed,
                  {kTaskSimulation, key_word("explanations"), static_cast<std::uint64_t>(colour++)});
    Vector draws(400 * options.repeats);
    for (double& draw : draws) draw = stats::sigmoid(kLocation + scale * stream.normal());
    const SampleMoments found = sample_moments(draws);
    const stats::Moments exact = stats::logit_normal(kLocation, scale);
    agreement.add(found.mean, exact.mean);
    agreement.add(found.variance, exact.variance);
  }
  // Peaks, counted on the drawn curves.
  const auto peaks = [&](std::size_t curve) {
    const std::vector<double>& y = figure.curves[curve].y;
    int count = y[0] > y[1] ? 1 : 0;
    for (std::size_t i = 1; i + 1 < y.size(); ++i) count += y[i] > y[i - 1] && y[i] > y[i + 1] ? 1 : 0;
    return count + (y[y.size() - 1] > y[y.size() - 2] ? 1 : 0);
  };
  const auto criterion = [](double scale) {
    return stats::bimodal_location(scale) > std::abs(kLocation) ? 2 : 1;
  };
  const bool agree = peaks(0) == criterion(kWide) && peaks(1) == criterion(kNarrow);
  const double at_dagger =
      stats::bimodal_location(std::sqrt(8 / std::numbers::pi)) / std::sqrt(8 / std::numbers::pi);
  figure.claims = {
      agreement.check("Exact mean and variance of both against simulation"),
      check("Peaks counted are those of the criterion (2 and 1)", peaks(0) + peaks(1), agree),
      claimed("Sec. α-TCAV", finding("α-TCAV can be bimodal, as TCAV, or unimodal, as Multi-TCAV: peaks "
                                     "of the wide one",
                                     2.0, peaks(0), peaks(0) == 2 && peaks(1) == 1)),
      finding("α† is bimodal at |√N μ/σ| below", {}, at_dagger, at_dagger > 0.5)};
  return figure;
}

Figure variances() {
  Figure figure = make_figure("variance_of_counts", "Variance of an indicator and of averages of it",
                              "p(1-p)/s over the probability p of a positive sensitivity: at p = ½ one "
                              "indicator reaches Popoviciu’s bound ¼ (the paper’s text prints p(p-1)).",
                              {"probability p"}, {"variance"});
  int colour = 0;
  for (const int runs : {1, 2, 3, 10}) {
    const std::string name = runs == 1 ? "TCAV" : fmt::format("Multi-TCAV, s = {}", runs);
    figure.curves.push_back(function_curve({name, Style::kLine, colour++}, grid(0, 1, 101),
                                           [runs](double p) { return p * (1 - p) / runs; }));
  }
  // The paper's: of one concept, a run's p is nearer ½ than the whole budget's.
  figure.marks = {{0.1, "p Ber (1)"}, {0.3, "p Bin (1)"}, {0.7, "p Bin (2)"}, {0.9, "p Ber (2)"}};
  const double largest = figure.curves.front().y[50];
  const double bound = stats::popoviciu_bound(0, 1);
  figure.claims = {check("The indicator reaches the bound at p = ½", largest, largest == bound)};
  figure.claims[0].paper = bound;
  return figure;
}

}  // namespace

std::vector<Figure> explanations(const PaperOptions& options) {
  std::vector<Figure> figures = three_scores(options);
  figures.insert(figures.end(), {sigmoid_family(), counting_distributions(), smooth_distributions(options),
                                 variances(), two_gaussians()});
  return figures;
}

}  // namespace atcav::paper
