#include "apps/paper/synthetic_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "atcav/base/parallel.h"
#include "atcav/base/random.h"
#include "apps/paper/agreement.h"
#include "apps/paper/histogram.h"
#include "atcav/stats/cav.h"
#include "atcav/stats/ridge_equivalent.h"
#include "atcav/stats/class_law.h"

namespace atcav::paper {
namespace {

constexpr Index kDimension = 100;
constexpr Index kRows = 200;  // of each class
constexpr double kRandomRho = 0.2;
constexpr double kConceptRho = 0.4;
constexpr double kMeanLength = 1.2;
constexpr double kShownLambda = 1;
const std::vector<double> kLambdas = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100};

stats::TwoClasses make_classes(std::uint64_t seed) {
  Stream stream(seed, {kTaskSimulation, key_word("synthetic_accuracy")});
  Vector mean = stream.normal_matrix(kDimension, 1);
  mean *= kMeanLength / mean.norm();
  return {{-mean, stats::toeplitz_covariance(kDimension, kRandomRho)},
          {mean, stats::toeplitz_covariance(kDimension, kConceptRho)},
          kRows,
          kRows};
}

stats::ErrorPrediction predict(const stats::TwoClasses& classes, const stats::CavOptions& cav) {
  switch (cav.method) {
    case stats::CavMethod::kPattern:
      return stats::predict_error(classes, stats::pattern_law(classes));
    case stats::CavMethod::kFast:
      return stats::predict_error(classes, stats::fast_law(classes));
    default:
      return stats::predict_ridge_error(classes, stats::ridge_equivalent(classes, cav.lambda));
  }
}

// The law of g for one CAV, and with it the error of the predicted threshold.
double error_of(const stats::TwoClasses& classes, const Vector& w, const stats::ErrorPrediction& predicted) {
  const auto law = [&](const stats::ClassLaw& data) {
    const double n = static_cast<double>(classes.n_random + classes.n_concept);
    return stats::NormalLaw{w.dot(data.mean) / std::sqrt(n), w.dot(data.covariance * w) / n};
  };
  return stats::classification_error(law(classes.random), law(classes.of_concept), predicted.threshold.value);
}

struct Simulation {
  Vector errors;                              // one a CAV
  std::array<std::vector<double>, 2> scores;  // of new rows, random and concept
};

Simulation simulate(const stats::TwoClasses& classes, const stats::CavOptions& cav,
                    const stats::ErrorPrediction& predicted, const PaperOptions& options, std::uint64_t key) {
  const Index repeats = 2 * options.repeats;
  constexpr Index kNewRows = 20;
  Simulation simulation;
  simulation.errors.resize(repeats);
  std::array<Matrix, 2> scores = {Matrix(repeats, kNewRows), Matrix(repeats, kNewRows)};
  parallel_for(repeats, options.threads, [&](Index repeat) {
    Stream stream(options.seed,
                  {kTaskSimulation, key_word("synthetic_accuracy"), key, static_cast<std::uint64_t>(repeat)});
    const Matrix random = stats::sample_toeplitz(classes.random.mean, kRandomRho, kRows, stream);
    const Matrix of_concept = stats::sample_toeplitz(classes.of_concept.mean, kConceptRho, kRows, stream);
    const Vector w = stats::fit_cav(random, of_concept, cav).direction;
    simulation.errors(repeat) = error_of(classes, w, predicted);
    const double root = std::sqrt(2.0 * kRows);
    scores[0].row(repeat) =
        (stats::sample_toeplitz(classes.random.mean, kRandomRho, kNewRows, stream) * w / root).transpose();
    scores[1].row(repeat) =
        (stats::sample_toeplitz(classes.of_concept.mean, kConceptRho, kNewRows, stream) * w / root)
            .transpose();
  });
  for (std::size_t k = 0; k < 2; ++k) {
    simulation.scores[k].assign(scores[k].data(), scores[k].data() + scores[k].size());
  }
  return simulation;
}

Figure histogram_figure(const stats::CavOptions& cav, const stats::ErrorPrediction& predicted,
                        const Simulation& simulation) {
  Figure figure;
  const std::string method(stats::name(cav.method));
  figure.id = "accuracy_" + method;
  figure.title = fmt::format("Classification score of {} CAVs", method);
  figure.caption =
      fmt::format("Bars: new rows under new CAVs; lines: normals predicted before any fit{}; η* between.",
                  cav.method == stats::CavMethod::kRidge ? fmt::format(" (λ = {})", cav.lambda) : "");
  figure.x = {"g(x) = wᵀx/√n", false, {}};
  figure.y = {"density", false, {}};
  const double spread = 4 * std::sqrt(std::max(predicted.random.variance, predicted.of_concept.variance));
  const double low = std::min(predicted.random.mean, predicted.of_concept.mean) - spread;
  const double high = std::max(predicted.random.mean, predicted.of_concept.mean) + spread;
  Agreement means;
  Agreement variances;
  const std::array<const stats::NormalLaw*, 2> laws = {&predicted.random, &predicted.of_concept};
  for (int k = 0; k < 2; ++k) {
    const std::vector<double>& scores = simulation.scores[static_cast<std::size_t>(k)];
    const stats::NormalLaw& law = *laws[static_cast<std::size_t>(k)];
    const std::string name = k == 0 ? "random" : "concept";
    figure.curves.push_back(density_histogram(name + ", simulated", scores, low, high, k));
    figure.curves.push_back(normal_curve(name + ", predicted", law, low, high, k));
    const SampleMoments found =
        sample_moments(Eigen::Map<const Vector>(scores.data(), static_cast<Index>(scores.size())));
    means.add(found.mean, law.mean, found.mean_error);
    variances.add(found.variance, law.variance, found.variance_error);
  }
  figure.marks = {{predicted.threshold.value, "η*"}};
  figure.claims = {means.claim("Predicted means of g on both classes"),
                   variances.claim("Predicted variances of g on both classes")};
  const double error = simulation.errors.mean();
  figure.claims.push_back(
      {fmt::format("Simulated error at η* within 0.01 of the predicted {:.4f}", predicted.error),
       {},
       error,
       {},
       std::abs(error - predicted.error) < 0.01,
       true});
  return figure;
}

}  // namespace

std::vector<Figure> synthetic_accuracy(const PaperOptions& options) {
  const stats::TwoClasses classes = make_classes(options.seed);
  std::vector<Figure> figures;
  Figure errors;
  errors.id = "accuracy_over_lambda";
  errors.title = "Error over ridge’s λ";
  errors.caption =
      "Lines: predicted; points: simulated with two standard errors. Large λ makes ridge a pattern CAV.";
  errors.x = {"λ", true, {}};
  errors.y = {"error at η*", false, {}};
  double largest = 0;
  const auto add_error = [&](const Curve& predicted, const Curve& simulated) {
    for (std::size_t i = 0; i < simulated.y.size(); ++i) {
      largest = std::max(largest, std::abs(predicted.y[i] - simulated.y[i]));
    }
    errors.curves.push_back(predicted);
    errors.curves.push_back(simulated);
  };
  Curve ridge_predicted{"ridge", {}, {}, {}, Style::kLine, 0, true};
  Curve ridge_simulated{"ridge, simulated", {}, {}, {}, Style::kPoints, 0, false};
  std::uint64_t key = 0;
  for (const double lambda : kLambdas) {
    const stats::CavOptions cav{.method = stats::CavMethod::kRidge, .lambda = lambda};
    const stats::ErrorPrediction predicted = predict(classes, cav);
    const Simulation simulation = simulate(classes, cav, predicted, options, ++key);
    const SampleMoments found = sample_moments(simulation.errors);
    ridge_predicted.x.push_back(lambda);
    ridge_predicted.y.push_back(predicted.error);
    ridge_simulated.x.push_back(lambda);
    ridge_simulated.y.push_back(found.mean);
    ridge_simulated.error.push_back(found.mean_error);
    if (lambda == kShownLambda) figures.push_back(histogram_figure(cav, predicted, simulation));
  }
  add_error(ridge_predicted, ridge_simulated);
  std::array<double, 2> predicted_errors = {};
  for (const stats::CavMethod method : {stats::CavMethod::kPattern, stats::CavMethod::kFast}) {
    const stats::CavOptions cav{.method = method};
    const stats::ErrorPrediction predicted = predict(classes, cav);
    const Simulation simulation = simulate(classes, cav, predicted, options, ++key);
    figures.push_back(histogram_figure(cav, predicted, simulation));
    const SampleMoments found = sample_moments(simulation.errors);
    const int colour = static_cast<int>(figures.size()) - 1;
    const std::string name(stats::name(method));
    predicted_errors[static_cast<std::size_t>(colour - 1)] = predicted.error;
    add_error({name,
               {kLambdas.front(), kLambdas.back()},
               {predicted.error, predicted.error},
               {},
               Style::kDashed,
               colour,
               true},
              {name + ", simulated",
               {colour == 1 ? 0.02 : 0.05},
               {found.mean},
               {found.mean_error},
               Style::kPoints,
               colour,
               false});
  }
  const double apart = std::abs(predicted_errors[0] - predicted_errors[1]);
  const double at_large = std::abs(ridge_predicted.y.back() - predicted_errors[0]);
  errors.claims = {
      {"Predicted and simulated error: largest difference below 0.01", {}, largest, {}, largest < 0.01, true},
      {"Pattern and fast have the same error (difference)", 0.0, apart, {}, apart < 1e-9},
      {"Ridge tends to pattern for large λ (difference at λ = 100)", 0.0, at_large, {}, at_large < 0.005}};
  figures.push_back(errors);
  return figures;
}

}  // namespace atcav::paper
