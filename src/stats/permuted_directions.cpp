#include "stats/permuted_directions.h"

#include <algorithm>
#include <vector>

#include "atcav/random.h"
#include "core/check.h"
#include "core/parallel.h"

namespace atcav::stats {
namespace {

Matrix of_length_one(const Matrix& rows) {
  Matrix scaled = rows;
  for (Index row = 0; row < rows.rows(); ++row) {
    const double length = rows.row(row).norm();
    if (length > 0) scaled.row(row) /= length;
  }
  return scaled;
}

}  // namespace

Index affordable_permutations(Index directions, Index columns) {
  constexpr double kMostWork = 1e9;
  const double each = 2 * static_cast<double>(std::max<Index>(1, directions * columns));
  return std::clamp<Index>(static_cast<Index>(kMostWork / each), 199, 9999);
}

PermutedDirections compare_with_permuted(const Matrix& directions, const Matrix& gradients,
                                         Index permutations, std::uint64_t seed, std::uint64_t key,
                                         int threads) {
  check_same("compare_with_permuted", "columns", "the directions", directions.cols(), "the gradients",
             gradients.cols());
  check_at_least("compare_with_permuted", "number of permutations", permutations, 1);
  const Matrix ways = of_length_one(directions);
  const Matrix slopes = of_length_one(gradients);
  PermutedDirections found;
  found.permutations = permutations;
  found.cosines = (ways * slopes.transpose()).cwiseAbs().rowwise().maxCoeff();
  // Permuting the gradients instead is the same and moves fewer numbers.
  Vector largest(permutations);
  parallel_for(permutations, threads, [&](Index i) {
    Stream stream(seed, {kTaskPermutedDirections, key, static_cast<std::uint64_t>(i)});
    const std::vector<Index> order = stream.permutation(slopes.cols());
    const Matrix moved = slopes(Eigen::all, order);
    largest(i) = (ways * moved.transpose()).cwiseAbs().maxCoeff();
  });
  found.p.resize(ways.rows());
  for (Index k = 0; k < ways.rows(); ++k) {
    // Equal but for rounding counts as equal.
    const auto as_large = (largest.array() >= found.cosines(k) * (1 - 1e-12)).count();
    found.p(k) = static_cast<double>(1 + as_large) / static_cast<double>(1 + permutations);
  }
  std::nth_element(largest.begin(), largest.begin() + permutations / 2, largest.end());
  found.usual = largest(permutations / 2);
  return found;
}

}  // namespace atcav::stats
