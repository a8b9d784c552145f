#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/paper/agreement.h"
#include "apps/paper/synthetic.h"
#include "atcav/cav.h"
#include "atcav/theory.h"

namespace atcav::paper {
namespace {

constexpr Index kAccuracyColumns = 100;
constexpr Index kRows = 200;  // of each class
constexpr double kMeanLength = 1.2;
constexpr double kShownLambda = 1;
const std::vector<double> kLambdas = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100};

stats::ErrorPrediction predict(const stats::TwoClasses& classes, const stats::CavOptions& cav) {
  switch (cav.method) {
    case stats::CavMethod::kPattern:
      return stats::predict_error(classes, stats::pattern_law(classes));
    case stats::CavMethod::kFast:
      return stats::predict_error(classes, stats::fast_law(classes));
    default:
      return stats::predict_ridge_error(classes,
                                        stats::ridge_equivalent(classes, cav.lambda, {.centred = false}));
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

struct FittedCavs {
  stats::ErrorPrediction predicted;
  Estimate error = {};                             // over CAVs
  std::array<std::vector<double>, 2> scores = {};  // of new rows, random and concept
};

FittedCavs fit_many(const stats::TwoClasses& classes, const stats::CavOptions& cav,
                    const PaperOptions& options, std::uint64_t key) {
  const Index repeats = 2 * options.repeats;
  constexpr Index kNewRows = 20;
  const double root = std::sqrt(2.0 * kRows);
  FittedCavs fitted{.predicted = predict(classes, cav)};
  Vector errors(repeats);
  std::array<Matrix, 2> scores = {Matrix(repeats, kNewRows), Matrix(repeats, kNewRows)};
  for_each_draw(repeats, options, "synthetic_accuracy", key, [&](Index repeat, Stream& stream) {
    const ClassRows rows = draw_rows(classes, kRows, kRows, stream);
    const Vector w = stats::fit_cav(rows.random, rows.of_concept, cav).direction;
    errors(repeat) = error_of(classes, w, fitted.predicted);
    const ClassRows unseen = draw_rows(classes, kNewRows, kNewRows, stream);
    scores[0].row(repeat) = (unseen.random * w / root).transpose();
    scores[1].row(repeat) = (unseen.of_concept * w / root).transpose();
  });
  fitted.error = sample_moments(errors).mean;
  for (std::size_t k = 0; k < 2; ++k) {
    fitted.scores[k].assign(scores[k].data(), scores[k].data() + scores[k].size());
  }
  return fitted;
}

Figure histogram_figure(const stats::CavOptions& cav, const FittedCavs& fitted) {
  const std::string method(stats::name(cav.method));
  const stats::ErrorPrediction& predicted = fitted.predicted;
  Figure figure{.id = "accuracy_" + method,
                .title = fmt::format("Classification score of {} CAVs", method),
                .caption = fmt::format(
                    "Bars: new rows under new CAVs; lines: normals predicted before any fit{}; η* between.",
                    cav.method == stats::CavMethod::kRidge ? fmt::format(" (λ = {})", cav.lambda) : ""),
                .x = {"g(x) = wᵀx/√n"},
                .y = {"density"},
                .marks = {{predicted.threshold.value, "η*"}}};
  const double spread = 4 * std::sqrt(std::max(predicted.random.variance, predicted.of_concept.variance));
  const double low = std::min(predicted.random.mean, predicted.of_concept.mean) - spread;
  const double high = std::max(predicted.random.mean, predicted.of_concept.mean) + spread;
  Agreement means;
  Agreement variances;
  for (const int k : {0, 1}) {
    const std::vector<double>& scores = fitted.scores[k];
    const stats::NormalLaw& law = k == 0 ? predicted.random : predicted.of_concept;
    const std::string name = k == 0 ? "random" : "concept";
    figure.curves.push_back(density_histogram(name + ", simulated", scores, low, high, k));
    figure.curves.push_back(normal_curve(name + ", predicted", law, low, high, k));
    const SampleMoments found = sample_moments(Eigen::Map<const Vector>(scores.data(), std::ssize(scores)));
    means.add(found.mean, law.mean);
    variances.add(found.variance, law.variance);
  }
  const double error = fitted.error.value;
  figure.claims = {
      means.check("Predicted means of g on both classes"),
      variances.check("Predicted variances of g on both classes"),
      check(fmt::format("Simulated error at η* within 0.01 of the predicted {:.4f}", predicted.error), error,
            std::abs(error - predicted.error) < 0.01)};
  return figure;
}

}  // namespace

std::vector<Figure> synthetic_accuracy(const PaperOptions& options) {
  Stream stream(options.seed, {kTaskSimulation, key_word("synthetic_accuracy")});
  const stats::TwoClasses classes = make_classes(kAccuracyColumns, kMeanLength, kRows, kRows, stream);
  Figure errors = make_figure(
      "accuracy_over_lambda", "Error over ridge’s λ",
      "Lines: predicted; points: simulated with two standard errors. Large λ makes ridge a pattern CAV.",
      {"λ", true}, {"error at η*"});
  std::vector<Figure> figures;
  double largest = 0;
  std::uint64_t key = 0;
  const auto fit = [&](const stats::CavOptions& cav) {
    FittedCavs fitted = fit_many(classes, cav, options, ++key);
    largest = std::max(largest, std::abs(fitted.predicted.error - fitted.error.value));
    if (cav.method != stats::CavMethod::kRidge || cav.lambda == kShownLambda) {
      figures.push_back(histogram_figure(cav, fitted));
    }
    return fitted;
  };
  Curve ridge_predicted{"ridge", Style::kLine, 0};
  Curve ridge_simulated{"ridge, simulated", Style::kPoints, 0, false};
  for (const double lambda : kLambdas) {
    const FittedCavs fitted = fit({.method = stats::CavMethod::kRidge, .lambda = lambda, .centred = false});
    ridge_predicted.add(lambda, fitted.predicted.error);
    ridge_simulated.add(lambda, fitted.error);
  }
  errors.curves = {ridge_predicted, ridge_simulated};
  for (const stats::CavMethod method : {stats::CavMethod::kPattern, stats::CavMethod::kFast}) {
    const FittedCavs fitted = fit({.method = method});
    const int colour = static_cast<int>(figures.size()) - 1;
    const std::string name(stats::name(method));
    Curve simulated{name + ", simulated", Style::kPoints, colour, false};
    simulated.add(colour == 1 ? 0.02 : 0.05, fitted.error);
    errors.curves.push_back(function_curve({name, Style::kDashed, colour},
                                           {kLambdas.front(), kLambdas.back()},
                                           [&](double) { return fitted.predicted.error; }));
    errors.curves.push_back(simulated);
  }
  const double pattern = errors.curves[2].y[0];
  const double apart = std::abs(pattern - errors.curves[4].y[0]);
  const double at_large = std::abs(ridge_predicted.y.back() - pattern);
  errors.claims = {
      check("Predicted and simulated error: largest difference below 0.01", largest, largest < 0.01),
      claimed("Rem. Classification Accuracy of PatternCAV and FastCAV",
              finding("Pattern and fast have the same error (difference)", 0.0, apart, apart < 1e-9)),
      claimed("Sec. Characterizing CAV Distributions",
              finding("Ridge tends to pattern for large λ (difference at λ = 100)", 0.0, at_large,
                      at_large < 0.005))};
  figures.push_back(errors);
  return figures;
}

}  // namespace atcav::paper
