#include "fit/directions.h"

#include <algorithm>

#include "core/parallel.h"

namespace atcav::fit {
namespace {

// In stripes of columns, for all threads.
Eigen::RowVectorXd mean_of(const pass::HeldOut& set) {
  constexpr Index kStripe = 4096;
  const Index columns = set.group_sums.columns();
  Eigen::RowVectorXd mean(columns);
  parallel_for((columns + kStripe - 1) / kStripe, 0, [&](Index stripe) {
    const Index begin = stripe * kStripe;
    const Index width = std::min(kStripe, columns - begin);
    const Matrix total =
        set.group_sums.values.middleCols(begin, width) + set.group_sums.carried.middleCols(begin, width);
    mean.segment(begin, width) = total.colwise().sum() / set.group_counts.sum();
  });
  return mean;
}

}  // namespace

Matrix mean_directions(const pass::Pass& pass, bool fast) {
  const auto concepts = static_cast<Index>(pass.sets.size()) - 1;
  Matrix directions(concepts, pass.dimension);
  const pass::HeldOut& random = pass.sets[0].held_out;
  const Eigen::RowVectorXd mean_of_random = mean_of(random);
  for (Index c = 0; c < concepts; ++c) {
    const pass::HeldOut& set = pass.sets[c + 1].held_out;
    directions.row(c) = mean_of(set) - mean_of_random;
    if (fast) {
      directions.row(c) *= random.group_counts.sum() / (random.group_counts.sum() + set.group_counts.sum());
    }
  }
  return directions;
}

Vector random_mean(const pass::Pass& pass) {
  return pass.centre + mean_of(pass.sets[0].held_out).transpose();
}

Matrix cosines_between(const Matrix& inner_products) {
  const Vector lengths = inner_products.diagonal().cwiseMax(0).cwiseSqrt();
  Matrix cosines = inner_products;
  for (Index a = 0; a < cosines.rows(); ++a) {
    for (Index b = 0; b < cosines.cols(); ++b) {
      const double length = lengths(a) * lengths(b);
      if (a == b) cosines(a, b) = length;
      // Rounding must not give a cosine beyond 1.
      cosines(a, b) = length > 0 ? std::clamp(cosines(a, b) / length, -1.0, 1.0) : 0;
    }
  }
  return cosines;
}

}  // namespace atcav::fit
