#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "apps/paper/agreement.h"
#include "apps/paper/synthetic.h"
#include "atcav/posterior.h"
#include "atcav/score.h"
#include "atcav/theory.h"
#include "stats/normal.h"

namespace atcav::paper {
namespace {

// One example's part of a sensitivity: mean 0, standard deviation 1.
struct Law {
  std::string name;
  std::function<double(Stream&)> draw;
};

double exponential(Stream& stream) { return -std::log(1 - stream.uniform()); }

// Student's t with 3 degrees of freedom has variance 3.
double heavy(Stream& stream) {
  const double chi =
      std::pow(stream.normal(), 2) + std::pow(stream.normal(), 2) + std::pow(stream.normal(), 2);
  return stream.normal() / std::sqrt(chi / 3) / std::sqrt(3.0);
}

double lognormal(Stream& stream) {
  const double mean = std::exp(0.5);
  return (std::exp(stream.normal()) - mean) / (mean * std::sqrt(std::exp(1.0) - 1));
}

const std::vector<Law>& laws() {
  static const std::vector<Law> all = {{"normal", [](Stream& stream) { return stream.normal(); }},
                                       {"skewed", [](Stream& stream) { return exponential(stream) - 1; }},
                                       {"heavy-tailed", heavy},
                                       {"lognormal", lognormal}};
  return all;
}

constexpr Index kShapeRuns = 10;
const std::vector<Index> kShapeBudgets = {20, 50, 100, 200, 500};
// In standard errors of the whole budget: what a concept that is just seen has.
const std::vector<double> kShapeSignals = {-2, -1, 0, 1, 2};
constexpr double kFlatReach = 5;

struct Means {
  Estimate multi, star;
};

// Multi-TCAV and α* of the same examples.
Means mean_scores(const Law& law, Index budget, double signal, const PaperOptions& options,
                  std::uint64_t key) {
  const Index draws = 100 * options.repeats;
  const double mu = signal / std::sqrt(static_cast<double>(budget));
  const stats::ScoreModel model{.mu = mu, .sigma = 1, .samples = static_cast<double>(budget)};
  const double alpha = stats::model_alpha_star(model, kShapeRuns);
  Vector multi(draws);
  Vector star(draws);
  for_each_draw(draws, options, "score_shapes", key, [&](Index i, Stream& stream) {
    Index positive = 0;
    double total = 0;
    for (Index run = 0; run < kShapeRuns; ++run) {
      double sum = 0;
      for (Index k = run * budget / kShapeRuns; k < (run + 1) * budget / kShapeRuns; ++k)
        sum += mu + law.draw(stream);
      positive += sum > 0 ? 1 : 0;
      total += sum;
    }
    multi(i) = static_cast<double>(positive) / static_cast<double>(kShapeRuns);
    star(i) = stats::sigmoid(alpha * total / static_cast<double>(budget));
  });
  return {sample_moments(multi).mean, sample_moments(star).mean};
}

enum ShapeAnswer { kDagger, kSkewed, kShapeAnswers };
const std::vector<std::string> kShapeAnswerNames = {"α†", "corrected for skewness"};

// P(μ > 0 | S) under a flat prior is the chance that the noise of u = √N S/σ̂ is below u. Its normal law gives
// α†; Edgeworth's next term, with the skewness g of the examples, adds g (2u² + 1) φ(u)/(6√N).
std::vector<stats::Reliability> posteriors(const Law& law, Index budget, const PaperOptions& options,
                                           std::uint64_t key) {
  const Index problems = 200 * options.repeats;
  Matrix stated(problems, static_cast<Index>(kShapeAnswers));
  Vector outcomes(problems);
  for_each_draw(problems, options, "score_shapes_posterior", key, [&](Index i, Stream& stream) {
    const double root = std::sqrt(static_cast<double>(budget));
    const double mu = kFlatReach * (2 * stream.uniform() - 1) / root;
    Vector parts(budget);
    for (double& part : parts) part = mu + law.draw(stream);
    const Eigen::ArrayXd deviation = parts.array() - parts.mean();
    const double sigma = std::sqrt(deviation.square().sum() / static_cast<double>(budget - 1));
    const double skewness = deviation.cube().mean() / (sigma * sigma * sigma);
    const double u = root * parts.mean() / sigma;
    stated(i, kDagger) = stats::sigmoid(u / std::sqrt(stats::kTau1));
    const double next = skewness * (2 * u * u + 1) * stats::normal_pdf(u) / (6 * root);
    stated(i, kSkewed) = std::clamp(stats::normal_cdf(u) + next, 0.0, 1.0);
    outcomes(i) = mu > 0 ? 1 : 0;
  });
  std::vector<stats::Reliability> found;
  for (Index k = 0; k < stated.cols(); ++k)
    found.push_back(stats::reliability(Vector(stated.col(k)), outcomes));
  return found;
}

}  // namespace

std::vector<Figure> score_shapes(const PaperOptions& options) {
  Figure gap = make_figure(
      "shapes_star", "α*’s mean less Multi-TCAV’s, when examples are not normal",
      fmt::format("s = {}; the signal that differs most of −2 … 2 standard errors of the whole budget. A run "
                  "has a tenth of the examples, so its mean is less normal than the whole's.",
                  kShapeRuns),
      {"budget N", true}, {"largest distance"});
  Figure calibration = make_figure("shapes_dagger", "α† as a probability, when examples are not normal",
                                   "Expected calibration error under a flat prior. Lines: α†; dashes: with "
                                   "Edgeworth’s term for the examples’ skewness.",
                                   {"examples N", true}, {"calibration error"});
  Figure brier = make_figure("shapes_brier", "Brier score of the same",
                             "Mean squared distance of stated probability and truth; lower is better.",
                             calibration.x, {"Brier score"});
  std::uint64_t key = 0;
  for (std::size_t l = 0; l < laws().size(); ++l) {
    const Law& law = laws()[l];
    const int colour = static_cast<int>(l);
    Curve apart{law.name, Style::kJoined, colour};
    std::vector<Curve> error, lost;
    for (std::size_t k = 0; k < kShapeAnswers; ++k) {
      const Curve empty{law.name + ", " + kShapeAnswerNames[k], k == 0 ? Style::kJoined : Style::kDashed,
                        colour};
      error.push_back(empty);
      lost.push_back(empty);
    }
    for (const Index budget : kShapeBudgets) {
      Estimate widest;
      for (const double signal : kShapeSignals) {
        const Means means = mean_scores(law, budget, signal, options, ++key);
        const double distance = std::abs(means.star.value - means.multi.value);
        if (distance > widest.value) widest = {distance, std::hypot(means.star.error, means.multi.error)};
      }
      apart.add(budget, widest);
      const std::vector<stats::Reliability> found = posteriors(law, budget, options, ++key);
      for (std::size_t k = 0; k < kShapeAnswers; ++k) {
        error[k].add(budget, found[k].expected_calibration_error);
        lost[k].add(budget, found[k].brier);
      }
    }
    gap.curves.push_back(apart);
    std::ranges::move(error, std::back_inserter(calibration.curves));
    std::ranges::move(lost, std::back_inserter(brier.curves));
  }
  const auto at = [](const Figure& figure, std::size_t curve, std::size_t place) {
    return figure.curves[curve].y[place];
  };
  // 50 examples have place 1; each law has one curve in `gap` and two in `calibration`.
  for (std::size_t l = 0; l < laws().size(); ++l) {
    const double distance = at(gap, l, 1);
    gap.claims.push_back(finding(
        fmt::format("{}: α* keeps Multi-TCAV’s mean within 0.05 at N = 50 (runs of 5)", laws()[l].name), {},
        distance, distance < 0.05));
    const double error = at(calibration, 2 * l, 1);
    calibration.claims.push_back(finding(
        fmt::format("{}: α† is calibrated within 0.03 at N = 50", laws()[l].name), {}, error, error < 0.03));
  }
  const double last = at(calibration, 6, kShapeBudgets.size() - 1);
  calibration.claims.push_back(
      finding("lognormal: α† is calibrated within 0.03 at N = 500", {}, last, last < 0.03));
  for (const std::size_t l : {1U, 3U}) {
    const double corrected = at(calibration, 2 * l + 1, 1) / at(calibration, 2 * l, 1);
    calibration.claims.push_back(finding(
        fmt::format("{}: a correction for skewness halves the error at N = 50 (its share)", laws()[l].name),
        {}, corrected, corrected < 0.5));
  }
  return {gap, calibration, brier};
}

}  // namespace atcav::paper
