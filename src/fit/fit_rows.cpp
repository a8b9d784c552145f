#include "fit/fit_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "atcav/cav.h"
#include "core/block_product.h"
#include "core/check.h"
#include "core/parallel.h"

namespace atcav::fit {
namespace {

constexpr double kFloatError = 0x1p-22;  // what a long sum of float products is off by

// vectors · rowsᵀ, some vectors at a time on several threads.
Matrix products_with(const Matrix& rows, const Matrix& vectors, int threads) {
  constexpr Index kWidth = 32;
  Matrix products(vectors.rows(), rows.rows());
  parallel_for((vectors.rows() + kWidth - 1) / kWidth, threads, [&](Index block) {
    const Index first = block * kWidth;
    const Index count = std::min(kWidth, vectors.rows() - first);
    Matrix right = Matrix::Zero(rows.cols(), kWidth);
    right.leftCols(count) = vectors.middleRows(first, count).transpose();
    Matrix found;
    multiply_block(rows, right, found);
    products.middleRows(first, count) = found.leftCols(count).transpose();
  });
  return products;
}

struct Range {
  Index first;
  Index count;
};

Range rows_of(const pass::Pass& pass, Index set) {
  Index first = 0;
  for (Index before = 0; before < set; ++before) first += pass.sets[before].projections.columns();
  return {first, pass.sets[set].projections.columns()};
}

Index all_rows(const pass::Pass& pass) {
  const Range last = rows_of(pass, std::ssize(pass.sets) - 1);
  return last.first + last.count;
}

}  // namespace

FitRows fit_rows(Matrix rows, Matrix gradients, int threads) {
  check_same("fit_rows", "columns", "gradients", gradients.cols(), "rows", rows.cols());
  FitRows result;
  result.projections = products_with(rows, gradients, threads);
  result.lengths = gradients.rowwise().norm();
  result.rows = std::move(rows);
  result.gradients = std::move(gradients);
  return result;
}

FitRows fit_rows(const pass::Pass& pass, const MatrixFRef& gradients, Index random_set, Index concept_set,
                 bool centred, int threads) {
  check_same("fit_rows", "columns", "gradients", gradients.cols(), "the pass", pass.dimension);
  check_same("fit_rows", "rows", "gradients", gradients.rows(), "the pass", pass.centre_projection.size());
  const Range parts[] = {rows_of(pass, random_set), rows_of(pass, concept_set)};
  const Index n = parts[0].count + parts[1].count;
  if (pass.features) {
    Matrix rows(n, pass.dimension);
    rows << pass.features->middleRows(parts[0].first, parts[0].count).cast<double>(),
        pass.features->middleRows(parts[1].first, parts[1].count).cast<double>();
    if (centred) stats::centre(rows);
    return fit_rows(std::move(rows), gradients.cast<double>(), threads);
  }
  if (!pass.gram) fail_argument("fit_rows", "the pass has no Gram matrix, ask for it with options.gram");
  const Matrix& gram = *pass.gram;
  const Index centre = gram.rows() - 1;
  FitRows result;
  result.products.resize(n, n);
  // What the centre adds to row and column.
  Vector added(n);
  added << gram.row(centre).segment(parts[0].first, parts[0].count).transpose(),
      gram.row(centre).segment(parts[1].first, parts[1].count).transpose();
  added.array() += gram(centre, centre) / 2;
  parallel_for(n, threads, [&](Index to) {
    const bool in_second = to >= parts[0].count;
    const Index from = in_second ? parts[1].first + to - parts[0].count : parts[0].first + to;
    auto row = result.products.row(to);
    row << gram.row(from).segment(parts[0].first, parts[0].count),
        gram.row(from).segment(parts[1].first, parts[1].count);
    if (!pass.exact) row(to) *= 1 + kFloatError;
    if (!centred) row.array() += added.transpose().array() + added(to);
  });
  result.projections.resize(gradients.rows(), n);
  result.projections << pass.sets[random_set].projections.values, pass.sets[concept_set].projections.values;
  if (!centred) result.projections.colwise() += pass.centre_projection;
  result.lengths.resize(gradients.rows());
  parallel_for(gradients.rows(), threads,
               [&](Index j) { result.lengths(j) = gradients.row(j).cast<double>().norm(); });
  return result;
}

Index layer_coordinates(const pass::Pass& pass) { return pass.features ? pass.dimension : all_rows(pass); }

Vector in_layer(const pass::Pass& pass, const Vector& coordinates, Index random_set, Index concept_set) {
  if (pass.features) return coordinates;
  const Range random = rows_of(pass, random_set);
  const Range of_concept = rows_of(pass, concept_set);
  check_same("in_layer", "size", "coordinates", coordinates.size(), "both sets",
             random.count + of_concept.count);
  Vector weights = Vector::Zero(all_rows(pass));
  weights.segment(random.first, random.count) = coordinates.head(random.count);
  weights.segment(of_concept.first, of_concept.count) = coordinates.tail(of_concept.count);
  return weights;
}

Matrix inner_products(const pass::Pass& pass, const Matrix& directions) {
  if (pass.features) return directions * directions.transpose();
  // In the Gram matrix rows are less the centre, which is its last row.
  Matrix weights(directions.rows(), directions.cols() + 1);
  weights << directions, directions.rowwise().sum();
  return weights * *pass.gram * weights.transpose();
}

Matrix expand(const pass::Pass& pass, const Matrix& directions, int threads) {
  constexpr Index kRows = 64;
  constexpr Index kColumns = 4096;
  if (pass.features) return directions;
  if (!pass.gram || !pass.backend) fail_argument("expand", "the pass has not kept the rows");
  check_same("expand", "columns", "directions", directions.cols(), "the rows of the pass", all_rows(pass));
  Matrix expanded = Matrix::Zero(directions.rows(), pass.dimension);
  Index done = 0;
  for (Index set = 0; set < std::ssize(pass.sets); ++set) {
    const Index count = rows_of(pass, set).count;
    for (Index first = 0; first < count; first += kRows) {
      MatrixF rows(std::min(kRows, count - first), pass.dimension);
      const Matrix weights = directions.middleCols(done + first, rows.rows());
      if (weights.isZero(0)) continue;
      pass.backend->read_rows(set, first, rows);
      parallel_for((pass.dimension + kColumns - 1) / kColumns, threads, [&](Index block) {
        const Index start = block * kColumns;
        const Index width = std::min(kColumns, pass.dimension - start);
        expanded.middleCols(start, width).noalias() += weights * rows.middleCols(start, width).cast<double>();
      });
    }
    done += count;
  }
  return expanded;
}

}  // namespace atcav::fit
