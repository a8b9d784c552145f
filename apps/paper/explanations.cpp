#include "apps/paper/explanations.h"

#include <fmt/format.h>

#include <cmath>

#include "atcav/base/random.h"
#include "apps/paper/agreement.h"
#include "atcav/stats/logit_normal.h"
#include "atcav/stats/normal.h"
#include "atcav/stats/variability.h"

namespace atcav::paper {
namespace {

// The paper's: p = 0.7, 20 runs, logit-normals around logit(0.7) with scales 3 and ½.
constexpr double kProbability = 0.7;
constexpr int kRuns = 20;
constexpr double kLocation = 0.847;
constexpr double kWide = 3;
constexpr double kNarrow = 0.5;

Figure sigmoid_family() {
  Figure figure;
  figure.id = "sigmoids";
  figure.title = "From indicator to sigmoid";
  figure.caption =
      "s(αx) for growing α tends to the indicator of x > 0, except at 0, where every sigmoid is ½ and the "
      "indicator is 0 (the paper’s text says 1).";
  figure.x = {"sensitivity x", false, {}};
  figure.y = {"score of one input", false, {}};
  int colour = 0;
  for (const double alpha : {0.5, 1.0, 3.0, 10.0}) {
    Curve curve{fmt::format("α = {}", alpha), {}, {}, {}, Style::kLine, colour++, true};
    for (const double x : grid(-5, 5, 201)) {
      curve.x.push_back(x);
      curve.y.push_back(stats::sigmoid(alpha * x));
    }
    figure.curves.push_back(curve);
  }
  figure.curves.push_back({"indicator", {-5, 0, 0, 5}, {0, 0, 1, 1}, {}, Style::kDashed, 6, true});
  return figure;
}

double logit_normal_density(double x, double scale) {
  const double logit = std::log(x / (1 - x));
  return stats::normal_pdf((logit - kLocation) / scale) / (scale * x * (1 - x));
}

Figure counting_distributions() {
  Figure figure;
  figure.id = "distributions_counts";
  figure.title = "TCAV is Bernoulli, Multi-TCAV binomial";
  figure.caption =
      fmt::format("One input with p = {}: one run, and the mean of {} runs.", kProbability, kRuns);
  figure.x = {"score of one input", false, {}};
  figure.y = {"probability", false, {}};
  Curve binomial{fmt::format("Multi-TCAV, {} runs", kRuns), {}, {}, {}, Style::kPoints, 1, true};
  for (int k = 0; k <= kRuns; ++k) {
    const double log_choose = std::lgamma(kRuns + 1) - std::lgamma(k + 1) - std::lgamma(kRuns - k + 1);
    binomial.x.push_back(static_cast<double>(k) / kRuns);
    binomial.y.push_back(
        std::exp(log_choose + k * std::log(kProbability) + (kRuns - k) * std::log(1 - kProbability)));
  }
  figure.curves = {{"TCAV", {0, 1}, {1 - kProbability, kProbability}, {}, Style::kPoints, 0, true}, binomial};
  // The paper prints the binomial's probability of 14 of 20.
  const double peak = binomial.y[14];
  figure.claims = {
      {"Probability of 14 positive runs of 20", 0.1916, peak, {}, std::abs(peak - 0.1916) < 5e-5}};
  return figure;
}

Figure smooth_distributions(const PaperOptions& options) {
  Figure figure;
  figure.id = "distributions_smooth";
  figure.title = "α-TCAV is logit-normal, with one peak or two";
  figure.caption =
      "A large α (scale 3) has two peaks, like TCAV; a small one (scale ½) has one, like Multi-TCAV.";
  figure.x = {"score of one input", false, {}};
  figure.y = {"density", false, {}};
  Agreement agreement;
  int colour = 0;
  for (const double scale : {kWide, kNarrow}) {
    Curve curve{fmt::format("scale {}", scale), {}, {}, {}, Style::kLine, colour, true};
    for (const double x : grid(0.005, 0.995, 199)) {
      curve.x.push_back(x);
      curve.y.push_back(logit_normal_density(x, scale));
    }
    figure.curves.push_back(curve);
    Stream stream(options.seed,
                  {kTaskSimulation, key_word("explanations"), static_cast<std::uint64_t>(colour++)});
    Vector draws(400 * options.repeats);
    for (double& draw : draws) draw = stats::sigmoid(kLocation + scale * stream.normal());
    const SampleMoments found = sample_moments(draws);
    const stats::Moments exact = stats::logit_normal(kLocation, scale);
    agreement.add(found.mean, exact.mean, found.mean_error);
    agreement.add(found.variance, exact.variance, found.variance_error);
  }
  figure.claims = {agreement.claim("Exact mean and variance of both against simulation")};
  return figure;
}

Figure variances() {
  Figure figure;
  figure.id = "variance_of_counts";
  figure.title = "Variance of an indicator and of averages of it";
  figure.caption =
      "p(1-p)/s over the probability p of a positive sensitivity: at p = ½ one indicator reaches Popoviciu’s "
      "bound "
      "¼ (the paper’s text prints p(p-1)).";
  figure.x = {"probability p", false, {}};
  figure.y = {"variance", false, {}};
  int colour = 0;
  for (const int runs : {1, 2, 5, 10}) {
    Curve curve{runs == 1 ? "TCAV" : fmt::format("Multi-TCAV, s = {}", runs),
                {},
                {},
                {},
                Style::kLine,
                colour++,
                true};
    for (const double p : grid(0, 1, 101)) {
      curve.x.push_back(p);
      curve.y.push_back(p * (1 - p) / runs);
    }
    figure.curves.push_back(curve);
  }
  const double largest = figure.curves.front().y[50];
  const double bound = stats::popoviciu_bound(0, 1);
  figure.claims = {{"The indicator reaches the bound at p = ½", bound, largest, {}, largest == bound, true}};
  return figure;
}

}  // namespace

std::vector<Figure> explanations(const PaperOptions& options) {
  return {sigmoid_family(), variances(), counting_distributions(), smooth_distributions(options)};
}

}  // namespace atcav::paper
