#pragma once

#include <cstdint>
#include <vector>

#include "atcav/matrix.h"

// Clusters of rows around centres: the sum of squared distances from each row to its own centre is made
// small. Centres begin at rows that are far from each other (k-means++, Arthur & Vassilvitskii 2007), then
// rows and centres move in turn (Lloyd 1982); of several starts the best is kept.
//
//   KMeans found = kmeans(rows, {.clusters = 10, .seed = 7});
//   found.centres.row(found.of_row[0]);   // the centre that row 0 belongs to
namespace atcav::stats {

struct KMeansOptions {
  Index clusters = 8;
  Index starts = 4;       // at least 1
  Index iterations = 50;  // of each start, at most
  std::uint64_t seed = 0;
  std::uint64_t key = 0;  // of the task: which rows these are
  int threads = 0;        // never changes a result
};

struct KMeans {
  Matrix centres;             // clusters × columns, the largest cluster first; none is empty
  std::vector<Index> of_row;  // which each row belongs to
  Vector sizes;               // rows of each cluster
  double squares = 0;         // the sum of squared distances
};

// Fewer clusters than asked for where fewer rows differ. std::invalid_argument without rows or clusters.
KMeans kmeans(const MatrixFRef& rows, const KMeansOptions& options);

// The nearest centre of each row; of equally near ones the first.
std::vector<Index> nearest_centres(const MatrixFRef& rows, const Matrix& centres);

}  // namespace atcav::stats
