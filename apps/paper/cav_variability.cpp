#include "apps/paper/cav_variability.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "atcav/base/parallel.h"
#include "atcav/base/random.h"
#include "apps/paper/agreement.h"
#include "atcav/stats/cav.h"
#include "atcav/stats/ridge_equivalent.h"
#include "atcav/stats/class_law.h"
#include "atcav/stats/variability.h"

namespace atcav::paper {
namespace {

using stats::CavMethod;

constexpr Index kDimension = 40;
constexpr double kRandomRho = 0.2;
constexpr double kConceptRho = 0.4;
constexpr double kMeanLength = 1;
constexpr Index kFixedConcept = 50;
// Small C keeps logistic and svm fits in the regime where examples matter more than the penalty's shape.
constexpr double kCost = 0.1;
const std::vector<CavMethod> kMethods = {CavMethod::kPattern, CavMethod::kFast, CavMethod::kRidge,
                                         CavMethod::kLogistic, CavMethod::kSvm};
const std::vector<Index> kSizes = {50, 100, 200, 400, 800};

stats::TwoClasses make_classes(std::uint64_t seed, Index n_random, Index n_concept) {
  Stream stream(seed, {kTaskSimulation, key_word("cav_variability")});
  Vector mean = stream.normal_matrix(kDimension, 1);
  mean *= kMeanLength / mean.norm();
  return {{-mean, stats::toeplitz_covariance(kDimension, kRandomRho)},
          {mean, stats::toeplitz_covariance(kDimension, kConceptRho)},
          n_random,
          n_concept};
}

std::optional<double> predicted(CavMethod method, const stats::TwoClasses& classes) {
  if (method == CavMethod::kPattern) return stats::total_variance(stats::pattern_law(classes));
  if (method == CavMethod::kFast) return stats::total_variance(stats::fast_law(classes));
  if (method != CavMethod::kRidge) return {};
  return stats::ridge_total_variance(classes, stats::ridge_equivalent(classes, stats::CavOptions{}.lambda));
}

// Tr Cov and its standard error, from squared distances to the mean direction.
SampleMoments simulated(CavMethod method, const stats::TwoClasses& classes, const PaperOptions& options,
                        std::uint64_t key) {
  const Index repeats = 2 * options.repeats;
  Matrix directions(repeats, kDimension);
  stats::CavOptions cav{.method = method};
  cav.cost = kCost;
  parallel_for(repeats, options.threads, [&](Index repeat) {
    Stream stream(options.seed,
                  {kTaskSimulation, key_word("cav_variability"), key, static_cast<std::uint64_t>(repeat)});
    const Matrix random = stats::sample_toeplitz(classes.random.mean, kRandomRho, classes.n_random, stream);
    const Matrix of_concept =
        stats::sample_toeplitz(classes.of_concept.mean, kConceptRho, classes.n_concept, stream);
    directions.row(repeat) = stats::fit_cav(random, of_concept, cav).direction.transpose();
  });
  const Vector distances = (directions.rowwise() - directions.colwise().mean()).rowwise().squaredNorm();
  SampleMoments moments = sample_moments(distances);
  const double unbiased = static_cast<double>(repeats) / static_cast<double>(repeats - 1);
  moments.mean *= unbiased;
  moments.mean_error *= unbiased;
  return moments;
}

Figure figure_of(bool balanced, const PaperOptions& options) {
  Figure figure;
  figure.id = balanced ? "variability_balanced" : "variability_random";
  figure.title = balanced ? "Variability of CAVs, both classes growing"
                          : "Variability of CAVs, only random examples growing";
  figure.caption =
      balanced
          ? "Tr Cov(w) with n random and n concept examples. Points: simulated; lines: predicted. The paper "
            "scales ridge by √n, which holds its variability level."
          : fmt::format(
                "Tr Cov(w) with n random and {} concept examples. The concept’s own noise stays: "
                "pattern and fast meet at Tr Σ₂/n₂.",
                kFixedConcept);
  figure.x = {balanced ? "n of each class" : "random examples n", true, {}};
  figure.y = {"Tr Cov(w)", true, {}};
  Agreement exact;
  double ridge_error = 0;
  for (std::size_t k = 0; k < kMethods.size(); ++k) {
    const std::string name(stats::name(kMethods[k]));
    const int colour = static_cast<int>(k);
    Curve points{name, {}, {}, {}, Style::kPoints, colour, true};
    Curve line{name + ", predicted", {}, {}, {}, Style::kLine, colour, false};
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      const stats::TwoClasses classes =
          make_classes(options.seed, kSizes[i], balanced ? kSizes[i] : kFixedConcept);
      const std::uint64_t key = (balanced ? 0 : 100) + 10 * k + i;
      const SampleMoments found = simulated(kMethods[k], classes, options, key);
      points.x.push_back(static_cast<double>(kSizes[i]));
      points.y.push_back(found.mean);
      points.error.push_back(found.mean_error);
      const std::optional<double> theory = predicted(kMethods[k], classes);
      if (!theory) continue;
      line.x.push_back(static_cast<double>(kSizes[i]));
      line.y.push_back(*theory);
      if (kMethods[k] == CavMethod::kRidge) {
        ridge_error = std::max(ridge_error, std::abs(found.mean / *theory - 1));
      } else {
        exact.add(found.mean, *theory, found.mean_error);
      }
    }
    figure.curves.push_back(points);
    if (!line.x.empty()) figure.curves.push_back(line);
    if (balanced) {
      const double exponent = power_law_exponent(points.x, points.y);
      if (kMethods[k] == CavMethod::kPattern) {
        figure.claims.push_back(
            {"pattern varies as 1/n: exponent", -1.0, exponent, {}, std::abs(exponent + 1) < 0.1});
      } else {
        figure.claims.push_back({name + ": exponent of n", {}, exponent, {}, true});
      }
    }
  }
  figure.claims.insert(figure.claims.begin(),
                       {exact.claim("pattern and fast against their exact variability"),
                        {"ridge against its deterministic equivalent: largest relative error below 0.15",
                         {},
                         ridge_error,
                         {},
                         ridge_error < 0.15,
                         true}});
  if (!balanced) {
    const stats::TwoClasses classes = make_classes(options.seed, 1, kFixedConcept);
    const double floor = stats::total_variance(stats::many_random_law(classes));
    figure.curves.push_back({"limit n → ∞", {50, 800}, {floor, floor}, {}, Style::kDashed, 6, true});
    const double above = figure.curves.front().y.back() / floor;
    figure.claims.push_back(
        {"pattern at n = 800 over the limit Tr Σ₂/n₂", 1.0, above, {}, std::abs(above - 1) < 0.15});
  }
  return figure;
}

}  // namespace

std::vector<Figure> cav_variability(const PaperOptions& options) {
  return {figure_of(true, options), figure_of(false, options)};
}

}  // namespace atcav::paper
