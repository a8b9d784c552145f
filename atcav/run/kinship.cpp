#include "atcav/run/kinship.h"

#include <algorithm>
#include <utility>

#include "atcav/base/parallel.h"
#include "atcav/run/score_concept.h"
#include "atcav/span/product.h"

namespace atcav {

std::vector<std::vector<Matrix>> gradient_kinship(const LayerData& data, int threads) {
  std::vector<std::vector<Matrix>> kinship(data.names.classes.size());
  std::vector<std::pair<Index, Matrix*>> jobs;
  Index first = 0;
  for (std::size_t k = 0; k < kinship.size(); ++k) {
    for (const Index size : input_groups(data.names.classes[k].inputs))
      kinship[k].push_back(Matrix::Zero(size, size));
    for (Matrix& group : kinship[k]) {
      jobs.emplace_back(first, &group);
      first += group.rows();
    }
  }
  // Stripes of columns are jobs of their own, so that few groups keep many threads busy; their sums are
  // added up in order.
  constexpr Index kMostStripes = 16;
  const Index d = data.gradients.cols();
  const Index pieces = (d + span::kProductColumns - 1) / span::kProductColumns;
  const Index stripe = (pieces + kMostStripes - 1) / kMostStripes * span::kProductColumns;
  const Index stripes = (d + stripe - 1) / stripe;
  std::vector<Matrix> sums(jobs.size() * static_cast<std::size_t>(stripes));
  parallel_for(static_cast<Index>(sums.size()), threads, [&](Index job) {
    const auto& [begin, group] = jobs[static_cast<std::size_t>(job / stripes)];
    const auto rows = data.gradients.middleRows(begin, group->rows());
    Matrix sum = Matrix::Zero(group->rows(), group->rows());
    const Index start = job % stripes * stripe;
    const Index end = std::min(start + stripe, d);
    for (Index column = start; column < end; column += span::kProductColumns) {
      const MatrixF piece = rows.middleCols(column, std::min(span::kProductColumns, end - column));
      MatrixF products = MatrixF::Zero(piece.rows(), piece.rows());
      span::add_row_products(piece, piece, products);
      sum += products.cast<double>();
    }
    sums[static_cast<std::size_t>(job)] = std::move(sum);
  });
  for (std::size_t job = 0; job < sums.size(); ++job)
    *jobs[job / static_cast<std::size_t>(stripes)].second += sums[job];
  return kinship;
}

}  // namespace atcav
