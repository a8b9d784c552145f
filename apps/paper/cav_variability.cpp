#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/paper/agreement.h"
#include "apps/paper/synthetic.h"
#include "atcav/cav.h"
#include "atcav/theory.h"

namespace atcav::paper {
namespace {

using stats::CavMethod;

constexpr Index kColumns = 40;
constexpr Index kFixedConcept = 50;
// Small C keeps logistic and svm fits in the regime where examples matter more than the penalty's shape.
constexpr double kCost = 0.1;
const std::vector<CavMethod> kFitted = {CavMethod::kPattern, CavMethod::kFast, CavMethod::kRidge,
                                        CavMethod::kLogistic, CavMethod::kSvm};
const std::vector<Index> kVariabilitySizes = {50, 100, 200, 400, 800};

stats::TwoClasses classes_of(std::uint64_t seed, Index n_random, Index n_concept) {
  Stream stream(seed, {kTaskSimulation, key_word("cav_variability")});
  return make_classes(kColumns, 1, n_random, n_concept, stream);
}

std::optional<double> predicted_variability(CavMethod method, const stats::TwoClasses& classes) {
  if (method == CavMethod::kPattern) return stats::total_variance(stats::pattern_law(classes));
  if (method == CavMethod::kFast) return stats::total_variance(stats::fast_law(classes));
  if (method != CavMethod::kRidge) return {};
  return stats::ridge_total_variance(
      classes, stats::ridge_equivalent(classes, stats::CavOptions{}.lambda, {.centred = false}));
}

// Tr Cov and its standard error, from squared distances to the mean direction.
Estimate simulated_variability(CavMethod method, const stats::TwoClasses& classes,
                               const PaperOptions& options, std::uint64_t key) {
  const Index repeats = 2 * options.repeats;
  Matrix directions(repeats, kColumns);
  stats::CavOptions cav{.method = method, .centred = false};
  cav.cost = kCost;
  for_each_draw(repeats, options, "cav_variability", key, [&](Index repeat, Stream& stream) {
    const ClassRows rows = draw_rows(classes, classes.n_random, classes.n_concept, stream);
    directions.row(repeat) = stats::fit_cav(rows.random, rows.of_concept, cav).direction.transpose();
  });
  const Vector distances = (directions.rowwise() - directions.colwise().mean()).rowwise().squaredNorm();
  const Estimate mean = sample_moments(distances).mean;
  const double unbiased = static_cast<double>(repeats) / static_cast<double>(repeats - 1);
  return {mean.value * unbiased, mean.error * unbiased};
}

// With theory, exponents are compared; without, all that is claimed is a fall slower than 1/n.
Claim exponent_claim(const std::string& name, const Curve& points, const Curve& line) {
  const double exponent = power_law_exponent(points.x, points.y);
  if (line.x.empty()) {
    return finding(name + " varies less with more examples, but falls slower than 1/n: exponent", {},
                   exponent, exponent < 0 && exponent > -1);
  }
  const double predicted = power_law_exponent(line.x, line.y);
  Claim claim = finding(fmt::format("{}: exponent of n within 0.1 of the predicted {:.2f}", name, predicted),
                        name == "pattern" ? std::optional(-1.0) : std::nullopt, exponent,
                        std::abs(exponent - predicted) < 0.1);
  return name == "pattern" ? claimed("Sec. Variability of CAVs", claim) : claim;
}

// The paper's O(d/n₁), from the deterministic equivalent that this figure checks: n₁ grows with d fixed and
// with d/n₁ fixed.
std::vector<Claim> ridge_claims(std::uint64_t seed) {
  const std::vector<double> sizes = {200, 400, 800, 1600, 3200};
  std::vector<double> total, relative, total_wide;
  for (const double n : sizes) {
    const auto variances = [&](Index d) {
      Stream stream(seed, {kTaskSimulation, key_word("ridge_claims")});
      const stats::TwoClasses classes = make_classes(d, 1, static_cast<Index>(n), kFixedConcept, stream);
      const stats::RidgeEquivalent found =
          stats::ridge_equivalent(classes, stats::CavOptions{}.lambda, {.centred = false});
      const double variance = stats::ridge_total_variance(classes, found);
      return std::pair(variance, variance / found.mean.squaredNorm());
    };
    total.push_back(variances(kColumns).first);
    relative.push_back(variances(kColumns).second);
    total_wide.push_back(variances(static_cast<Index>(n) / 20).first);
  }
  const std::string where = "Sec. Variability of Ridge-Regression-CAVs";
  const double falls = power_law_exponent(sizes, total);
  const double shrinks = power_law_exponent(sizes, relative);
  const double wide = power_law_exponent(sizes, total_wide);
  return {claimed(where,
                  finding("ridge, d fixed: Tr Cov(w) = O(1/n₁), exponent of n₁", -1.0, falls, falls < -0.8)),
          claimed(where, finding("ridge, d/n₁ fixed: Tr Cov(w) = O(d/n₁), exponent of n₁", 0.0, wide,
                                 std::abs(wide) < 0.2)),
          finding("ridge, d fixed: Tr Cov(w)/|w̄|² = O(1/n₁), exponent of n₁", {}, shrinks, shrinks < -0.8)};
}

Figure variability_figure(bool balanced, const PaperOptions& options) {
  Figure figure;
  figure.id = balanced ? "variability_balanced" : "variability_random";
  figure.title = balanced ? "Variability of CAVs, both classes growing"
                          : "Variability of CAVs, only random examples growing";
  figure.caption =
      balanced
          ? "Tr Cov(w) with n random and n concept examples. Points: simulated; lines: predicted. The paper "
            "scales ridge by √n, which keeps its variability at one level."
          : fmt::format(
                "Tr Cov(w) with n random and {} concept examples. The concept’s own noise stays: "
                "pattern and fast meet at Tr Σ₂/n₂.",
                kFixedConcept);
  figure.x = {balanced ? "n of each class" : "random examples n", true};
  figure.y = {"Tr Cov(w)", true};
  Agreement exact;
  double ridge_error = 0;
  std::vector<Claim> exponents;
  for (std::size_t k = 0; k < kFitted.size(); ++k) {
    const std::string name(stats::name(kFitted[k]));
    Curve points{name, Style::kPoints, static_cast<int>(k)};
    Curve line{name + ", predicted", Style::kLine, static_cast<int>(k), false};
    for (std::size_t i = 0; i < kVariabilitySizes.size(); ++i) {
      const stats::TwoClasses classes =
          classes_of(options.seed, kVariabilitySizes[i], balanced ? kVariabilitySizes[i] : kFixedConcept);
      const std::uint64_t key = (balanced ? 0 : 100) + 10 * k + i;
      const Estimate found = simulated_variability(kFitted[k], classes, options, key);
      points.add(kVariabilitySizes[i], found);
      const std::optional<double> theory = predicted_variability(kFitted[k], classes);
      if (!theory) continue;
      line.add(kVariabilitySizes[i], *theory);
      if (kFitted[k] == CavMethod::kRidge) {
        ridge_error = std::max(ridge_error, std::abs(found.value / *theory - 1));
      } else {
        exact.add(found, *theory);
      }
    }
    figure.curves.push_back(points);
    if (!line.x.empty()) figure.curves.push_back(line);
    if (balanced) exponents.push_back(exponent_claim(name, points, line));
  }
  figure.claims = {exact.check("pattern and fast against their exact variability"),
                   check("ridge against its deterministic equivalent: largest relative error below 0.15",
                         ridge_error, ridge_error < 0.15)};
  if (balanced) {
    std::move(exponents.begin(), exponents.end(), std::back_inserter(figure.claims));
    return figure;
  }
  const double floor =
      stats::total_variance(stats::many_random_law(classes_of(options.seed, 1, kFixedConcept)));
  figure.curves.push_back({"limit n → ∞", Style::kDashed, 6, true, {50, 800}, {floor, floor}});
  const double above = figure.curves.front().y.back() / floor;
  figure.claims.push_back(
      claimed("Cor. distribution_fast_pattern_CAV_asymetric_asymptotic",
              finding("pattern at n = 800 over the limit Tr Σ₂/n₂", 1.0, above, std::abs(above - 1) < 0.15)));
  std::ranges::move(ridge_claims(options.seed), std::back_inserter(figure.claims));
  return figure;
}

}  // namespace

std::vector<Figure> cav_variability(const PaperOptions& options) {
  return {variability_figure(true, options), variability_figure(false, options)};
}

}  // namespace atcav::paper
