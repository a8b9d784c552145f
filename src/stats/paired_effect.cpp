#include "stats/paired_effect.h"

#include <cmath>

#include "core/check.h"
#include "stats/variance_parts.h"

namespace atcav::stats {
namespace {

// One side, in units of its own spread.
struct PairSide {
  double effect = 0;
  double unit = 0;  // 0: the reference rows do not move the logit
  Vector sensitivities;
  Vector slopes;
  Vector bends;  // by row: z² - 1 of reference rows
};

// Of the residuals `left`.
LabelEffect effect_of(const LabelDesign& design, Index label, const Matrix& responses,
                      const LabelResiduals& left, const std::vector<Index>& rows, const Groups& groups) {
  const LabelResponses known(responses);
  return label_effect(design, label, known, left, ReferenceRows(known, rows, groups), groups);
}

PairSide side_of(const LabelDesign& design, Index label, const MatrixRef& responses,
                 const LabelResiduals& residuals, const std::vector<Index>& reference, const Groups& groups) {
  const LabelEffect found = effect_of(design, label, responses, residuals, reference, groups);
  PairSide side;
  side.sensitivities = found.sensitivities;
  side.effect = found.sensitivities.mean();
  side.unit = std::sqrt(found.spread.variance);
  if (side.unit == 0) return side;
  side.slopes = found.spread.slopes;
  const Vector mean = responses.colwise().mean().transpose();
  const Vector along = mean(reference);
  const Eigen::ArrayXd centred = along.array() - along.mean();
  const double second = centred.square().mean();
  side.bends = Vector::Zero(responses.cols());
  for (Index r = 0; r < centred.size(); ++r) side.bends(reference[r]) = centred(r) * centred(r) / second - 1;
  return side;
}

double d_of(const PairSide& side) { return side.effect / side.unit; }

// Each input's part in d: its sensitivity, and its part in the spread.
Vector of_inputs(const PairSide& side) {
  return side.sensitivities.array() / side.unit - d_of(side) * (side.slopes.array() - 1);
}

}  // namespace

PairedEffect paired_effect(const LabelDesign& design, Index label, const MatrixRef& first,
                           const MatrixRef& second, const std::vector<Index>& reference, const Groups& groups,
                           double level) {
  check_same("paired_effect", "inputs", "the first responses", first.rows(), "the second", second.rows());
  const auto without_unit = [&](const LabelEffect& found, const Vector& sensitivities, const Vector& errors,
                                const MeanNoise& noise) {
    RandomSpread none;
    none.count = found.spread.count;
    return measure_effect(sensitivities, errors, noise, none, level);
  };
  PairedEffect paired;
  {
    const Matrix difference = second - first;
    const LabelEffect found =
        effect_of(design, label, difference, label_residuals(design, difference), reference, groups);
    paired.logits = without_unit(found, found.sensitivities, found.errors, found.noise);
  }
  const LabelResiduals left_first = label_residuals(design, first);
  const LabelResiduals left_second = label_residuals(design, second);
  const PairSide a = side_of(design, label, first, left_first, reference, groups);
  const PairSide b = side_of(design, label, second, left_second, reference, groups);
  paired.first = a.effect;
  paired.second = b.effect;
  if (a.unit > 0) paired.first_d = d_of(a);
  if (b.unit > 0) paired.second_d = d_of(b);
  if (a.unit == 0 || b.unit == 0) return paired;
  const Matrix scaled = second / b.unit - first / a.unit;
  const LabelResiduals left(left_second.values / b.unit - left_first.values / a.unit);
  const LabelEffect found = effect_of(design, label, scaled, left, reference, groups);
  std::vector<VariancePart> parts;
  for (const auto& part : {found.noise.of_concept, found.noise.random, found.noise.examples}) {
    if (part) parts.push_back(*part);
  }
  // What the rows do to the spreads comes on top of what they do to the effects.
  const auto count = static_cast<double>(reference.size());
  const Vector influences = influence_weights(design, label).array() * left.mean.array() -
                            (d_of(b) * b.bends - d_of(a) * a.bends).array() / (2 * count);
  const VariancePart examples{grouped_squares(influences, groups), satterthwaite(parts)};
  const double more = examples.variance - total_variance(parts);
  const Vector errors = (found.errors.array().square() + more).max(0).sqrt();
  paired.d = without_unit(found, of_inputs(b) - of_inputs(a), errors, {{}, {}, examples});
  return paired;
}

}  // namespace atcav::stats
