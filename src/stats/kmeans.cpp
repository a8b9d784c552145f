#include "stats/kmeans.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "atcav/random.h"
#include "core/check.h"
#include "core/parallel.h"

namespace atcav::stats {
namespace {

constexpr Index kRowsAtOnce = 1024;

struct NearestCentre {
  std::vector<Index> of_row;
  Vector squares;  // distance of each row
};

// |x - c|² = |x|² - 2 x·c + |c|²: the product is what takes the time.
NearestCentre nearest_of(const MatrixFRef& rows, const Vector& norms, const Matrix& centres) {
  NearestCentre found{std::vector<Index>(static_cast<std::size_t>(rows.rows())), Vector(rows.rows())};
  const MatrixF turned = centres.cast<float>().transpose();
  const Eigen::RowVectorXd own = centres.rowwise().squaredNorm().transpose();
  for (Index first = 0; first < rows.rows(); first += kRowsAtOnce) {
    const Index count = std::min(kRowsAtOnce, rows.rows() - first);
    const MatrixF products = rows.middleRows(first, count) * turned;
    for (Index i = 0; i < count; ++i) {
      Index best = 0;
      const double least = (own - 2 * products.row(i).cast<double>()).minCoeff(&best);
      found.of_row[static_cast<std::size_t>(first + i)] = best;
      found.squares(first + i) = std::max(0.0, norms(first + i) + least);
    }
  }
  return found;
}

// Each further centre is a row, drawn with the probability of its squared distance from those there are.
Matrix spread_centres(const MatrixFRef& rows, const Vector& norms, Index clusters, Stream& stream) {
  Matrix centres(clusters, rows.cols());
  centres.row(0) = rows.row(stream.below(rows.rows())).cast<double>();
  Vector squares = nearest_of(rows, norms, centres.topRows(1)).squares;
  for (Index k = 1; k < clusters; ++k) {
    const double total = squares.sum();
    if (!(total > 0)) return centres.topRows(k);
    double left = stream.uniform() * total;
    Index row = 0;
    while (row + 1 < squares.size() && (left -= squares(row)) >= 0) ++row;
    centres.row(k) = rows.row(row).cast<double>();
    squares = squares.cwiseMin(nearest_of(rows, norms, centres.middleRows(k, 1)).squares);
  }
  return centres;
}

// Means of the rows that belong to each; a centre without rows goes to the row that is furthest from its own.
Matrix moved_centres(const MatrixFRef& rows, NearestCentre& nearest, Index clusters) {
  Matrix centres = Matrix::Zero(clusters, rows.cols());
  Vector counts = Vector::Zero(clusters);
  for (Index row = 0; row < rows.rows(); ++row) {
    const Index own = nearest.of_row[static_cast<std::size_t>(row)];
    centres.row(own) += rows.row(row).cast<double>();
    counts(own) += 1;
  }
  for (Index k = 0; k < clusters; ++k) {
    if (counts(k) > 0) {
      centres.row(k) /= counts(k);
      continue;
    }
    Index furthest = 0;
    nearest.squares.maxCoeff(&furthest);
    centres.row(k) = rows.row(furthest).cast<double>();
    nearest.squares(furthest) = 0;
  }
  return centres;
}

KMeans one_start(const MatrixFRef& rows, const Vector& norms, const KMeansOptions& options, Stream stream) {
  Matrix centres = spread_centres(rows, norms, std::min(options.clusters, rows.rows()), stream);
  NearestCentre nearest = nearest_of(rows, norms, centres);
  for (Index i = 0; i < options.iterations; ++i) {
    throw_if_stopped();
    centres = moved_centres(rows, nearest, centres.rows());
    NearestCentre next = nearest_of(rows, norms, centres);
    const bool settled = next.of_row == nearest.of_row;
    nearest = std::move(next);
    if (settled) break;
  }
  Vector sizes = Vector::Zero(centres.rows());
  for (const Index own : nearest.of_row) sizes(own) += 1;
  const double squares = nearest.squares.sum();
  return {std::move(centres), std::move(nearest.of_row), std::move(sizes), squares};
}

// The largest cluster first, empty ones left out.
KMeans in_order_of_size(const KMeans& found) {
  std::vector<Index> order(static_cast<std::size_t>(found.sizes.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return found.sizes(a) > found.sizes(b); });
  while (found.sizes(order.back()) == 0) order.pop_back();
  std::vector<Index> place(static_cast<std::size_t>(found.sizes.size()));
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<Index>(k);
  KMeans sorted{found.centres(order, Eigen::all), found.of_row, found.sizes(order), found.squares};
  for (Index& own : sorted.of_row) own = place[own];
  return sorted;
}

}  // namespace

std::vector<Index> nearest_centres(const MatrixFRef& rows, const Matrix& centres) {
  check_same("nearest_centres", "columns", "the rows", rows.cols(), "the centres", centres.cols());
  return nearest_of(rows, rows.cast<double>().rowwise().squaredNorm(), centres).of_row;
}

KMeans kmeans(const MatrixFRef& rows, const KMeansOptions& options) {
  check_at_least("kmeans", "number of rows", rows.rows(), 1);
  check_at_least("kmeans", "number of clusters", options.clusters, 1);
  check_at_least("kmeans", "number of starts", options.starts, 1);
  const Vector norms = rows.cast<double>().rowwise().squaredNorm();
  std::vector<KMeans> found(static_cast<std::size_t>(options.starts));
  parallel_for(options.starts, options.threads, [&](Index start) {
    found[start] =
        one_start(rows, norms, options,
                  Stream(options.seed, {kTaskClusters, options.key, static_cast<std::uint64_t>(start)}));
  });
  const auto least = std::ranges::min_element(found, {}, &KMeans::squares);
  return in_order_of_size(*least);
}

}  // namespace atcav::stats
