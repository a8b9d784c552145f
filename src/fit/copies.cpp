#include "fit/copies.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "pass/product.h"

namespace atcav::fit {
namespace {

constexpr double kLeastCosine = 0.85;
constexpr double kByChance = 1e-3;  // rows with such a neighbour
constexpr Index kSearchedWhole = 4096;
constexpr Index kWindow = 2048;
constexpr Index kCopyTile = 256;
constexpr Index kLeastRows = 20;
constexpr double kLeastDimensions = 4;

MatrixF unit_rows(const MatrixFRef& sketch) {
  MatrixF rows = sketch.rowwise() - sketch.colwise().mean();
  const double size = rows.rowwise().norm().maxCoeff();
  for (auto row : rows.rowwise()) {
    const float length = row.norm();
    // Rounding has no direction.
    row *= static_cast<double>(length) > 1e-5 * size ? 1 / length : 0;
  }
  return rows;
}

// Beyond it a neighbour among so many rows is no chance.
double cosine_limit(const MatrixF& rows) {
  const Index n = rows.rows();
  std::vector<double> squares;
  for (Index i = 0; i < std::min<Index>(n, 4 * kWindow); ++i) {
    const double cosine = rows.row(i).dot(rows.row((i + n / 2 + i % 7) % n));
    squares.push_back(cosine * cosine);
  }
  const auto middle = squares.begin() + std::ssize(squares) / 2;
  std::ranges::nth_element(squares, middle);
  constexpr double kMedian = 0.4549;  // of χ² with one degree
  const double dimensions = std::clamp(kMedian / std::max(*middle, 1e-6), 1.0, 1e6);
  if (dimensions < kLeastDimensions) return HUGE_VAL;
  const boost::math::students_t law(dimensions - 1);
  const double t =
      boost::math::quantile(boost::math::complement(law, kByChance / static_cast<double>(n - 1)));
  return std::max(kLeastCosine, t / std::sqrt(dimensions - 1 + t * t));
}

}  // namespace

Copies find_copies(const MatrixFRef& sketch, const Groups& groups, int threads) {
  const Index n = sketch.rows();
  if (n < kLeastRows) return {};
  const MatrixF rows = unit_rows(sketch);
  const double limit = cosine_limit(rows);
  const Index reach = n <= kSearchedWhole ? n : kWindow;
  const Index tiles = (n + kCopyTile - 1) / kCopyTile;
  // Of each tile of rows the nearest of those before them, and who found one.
  struct Found {
    std::vector<std::pair<Index, Index>> pairs;
    Copies best;
  };
  std::vector<Found> found(static_cast<std::size_t>(tiles));
  parallel_for(tiles, threads, [&](Index tile) {
    const Index first = tile * kCopyTile;
    const Index count = std::min(kCopyTile, n - first);
    const Index start = std::max<Index>(0, first - reach);
    Found& own = found[static_cast<std::size_t>(tile)];
    for (Index other = start; other < first + count; other += kCopyTile) {
      const Index width = std::min(kCopyTile, first + count - other);
      MatrixF cosines = MatrixF::Zero(count, width);
      pass::add_row_products(rows.middleRows(first, count), rows.middleRows(other, width), cosines);
      for (Index i = 0; i < count; ++i) {
        for (Index j = 0; j < width && other + j < first + i; ++j) {
          if (cosines(i, j) < limit) continue;
          if (!groups.empty() && groups.of_row[first + i] == groups.of_row[other + j]) continue;
          own.pairs.emplace_back(other + j, first + i);
          if (cosines(i, j) > own.best.cosine) own.best = {0, other + j, first + i, cosines(i, j)};
        }
      }
    }
  });
  Copies copies;
  std::vector<bool> is_copy(static_cast<std::size_t>(n));
  for (const Found& one : found) {
    for (const auto& [a, b] : one.pairs) is_copy[a] = is_copy[b] = true;
    if (one.best.cosine > copies.cosine) copies = one.best;
  }
  copies.rows = std::ranges::count(is_copy, true);
  return copies;
}

}  // namespace atcav::fit
