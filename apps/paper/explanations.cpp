#include <fmt/format.h>

#include <cmath>

#include "apps/paper/agreement.h"
#include "apps/paper/synthetic.h"
#include "atcav/random.h"
#include "atcav/variability.h"
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
  figure.claims = {agreement.check("Exact mean and variance of both against simulation")};
  return figure;
}

Figure variances() {
  Figure figure = make_figure("variance_of_counts", "Variance of an indicator and of averages of it",
                              "p(1-p)/s over the probability p of a positive sensitivity: at p = ½ one "
                              "indicator reaches Popoviciu’s bound ¼ (the paper’s text prints p(p-1)).",
                              {"probability p"}, {"variance"});
  int colour = 0;
  for (const int runs : {1, 2, 5, 10}) {
    const std::string name = runs == 1 ? "TCAV" : fmt::format("Multi-TCAV, s = {}", runs);
    figure.curves.push_back(function_curve({name, Style::kLine, colour++}, grid(0, 1, 101),
                                           [runs](double p) { return p * (1 - p) / runs; }));
  }
  const double largest = figure.curves.front().y[50];
  const double bound = stats::popoviciu_bound(0, 1);
  figure.claims = {check("The indicator reaches the bound at p = ½", largest, largest == bound)};
  figure.claims[0].paper = bound;
  return figure;
}

}  // namespace

std::vector<Figure> explanations(const PaperOptions& options) {
  return {sigmoid_family(), variances(), counting_distributions(), smooth_distributions(options)};
}

}  // namespace atcav::paper
