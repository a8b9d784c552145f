#include "pipeline/example_groups.h"

#include "atcav/random.h"

namespace atcav {
namespace {

Matrix group_means(const pass::HeldOut& set) {
  return set.group_counts.cwiseInverse().asDiagonal() * set.group_sums.total();
}

// Row g: coefficients of the mean without group g.
Matrix means_without(const Vector& counts) {
  Matrix rows = counts.transpose().replicate(counts.size(), 1);
  rows.diagonal().setZero();
  const Vector left = counts.sum() - counts.array();
  return left.cwiseInverse().asDiagonal() * rows;
}

// Σ n_g² (x̄_g - x̄)² has expectation σ² (n - Σ n_g²/n): with one row a group var/n, whatever the sizes.
stats::VariancePart variance_of_mean(const VectorRef& values, const Vector& counts) {
  const double n = counts.sum();
  const double mean = values.dot(counts) / n;
  const double squares = (counts.array() * (values.array() - mean)).square().sum();
  return {squares / (n * n - counts.squaredNorm()), static_cast<double>(counts.size() - 1)};
}

// `changes`: the whole less what is found without each group.
stats::VariancePart variance_by_groups(const VectorRef& changes, const Vector& counts) {
  const Eigen::ArrayXd h = counts.sum() / counts.array();
  // Pseudo-values around the jackknife's own estimate, both without the whole.
  const Eigen::ArrayXd pseudo = (h - 1) * changes.array();
  const double centre = ((1 - 1 / h) * changes.array()).sum();
  return {((pseudo - centre).square() / (h - 1)).mean(), static_cast<double>(counts.size() - 1)};
}

}  // namespace

ExampleGroups::ExampleGroups(const pass::Pass& pass, Index concept_set, Index random_set, bool paired)
    : random_(pass.sets[random_set].held_out.group_counts),
      concept_(pass.sets[concept_set].held_out.group_counts),
      paired_(paired),
      centre_(pass.centre),
      means_(random_.size() + concept_.size(), pass.dimension) {
  means_ << group_means(pass.sets[random_set].held_out), group_means(pass.sets[concept_set].held_out);
}

Vector ExampleGroups::random_mean() const {
  Vector coefficients = Vector::Zero(means_.rows());
  coefficients.head(random_.size()) = random_ / random_.sum();
  return coefficients;
}

Vector ExampleGroups::difference() const {
  Vector coefficients = -random_mean();
  coefficients.tail(concept_.size()) = concept_ / concept_.sum();
  return coefficients;
}

Matrix ExampleGroups::random_means_without() const {
  Matrix rows = random_mean().transpose().replicate(means_.rows(), 1);
  rows.topLeftCorner(random_.size(), random_.size()) = means_without(random_);
  return rows;
}

Matrix ExampleGroups::differences_without() const {
  Matrix rows = -random_means_without();
  rows.topRightCorner(random_.size(), concept_.size()) =
      (concept_ / concept_.sum()).transpose().replicate(random_.size(), 1);
  rows.bottomRightCorner(concept_.size(), concept_.size()) = means_without(concept_);
  return rows;
}

Matrix ExampleGroups::halves(Index count, std::uint64_t seed) const {
  Matrix rows = Matrix::Zero(count, means_.rows());
  for (Index i = 0; i < count; ++i) {
    Stream stream(seed, {kTaskHalves, key_word("erasure"), static_cast<std::uint64_t>(i)});
    const std::vector<Index> order = stream.permutation(random_.size());
    const auto half = order.size() / 2;
    double first = 0, second = 0;
    for (std::size_t g = 0; g < order.size(); ++g) (g < half ? first : second) += random_(order[g]);
    for (std::size_t g = 0; g < order.size(); ++g)
      rows(i, order[g]) = g < half ? random_(order[g]) / first : -random_(order[g]) / second;
  }
  return rows;
}

std::vector<stats::VariancePart> ExampleGroups::variance_along(const VectorRef& products) const {
  if (paired_)
    return {variance_of_mean(products.tail(concept_.size()) - products.head(random_.size()), random_)};
  return {variance_of_mean(products.head(random_.size()), random_),
          variance_of_mean(products.tail(concept_.size()), concept_)};
}

std::vector<stats::VariancePart> ExampleGroups::jackknife(const VectorRef& changes) const {
  // To first order what happens without both is what happens without each.
  if (paired_)
    return {variance_by_groups(changes.head(random_.size()) + changes.tail(concept_.size()), random_)};
  return {variance_by_groups(changes.head(random_.size()), random_),
          variance_by_groups(changes.tail(concept_.size()), concept_)};
}

}  // namespace atcav
