#include "pipeline/label_tables.h"

#include <cmath>

#include "core/block_product.h"

namespace atcav {

bool keeps_pool_rows(Index rows, Index columns) {
  constexpr Index kMostRows = 2048;
  constexpr double kMostBytes = 5e8;
  return rows <= kMostRows &&
         sizeof(float) * static_cast<double>(rows) * static_cast<double>(columns) <= kMostBytes;
}

Matrix pool_products(const pass::Pass& pass) {
  Matrix products;
  if (pass.gram) {
    products = pass.gram->topLeftCorner(pass.gram->rows() - 1, pass.gram->cols() - 1);
  } else if (pass.features) {
    const Matrix rows =
        pass.features->cast<double>().rowwise() - pass.features->cast<double>().colwise().mean();
    products = row_products(rows, 0);
  }
  if (products.size() > 0) products.rowwise() -= products.colwise().mean().eval();
  return products;
}

// In units of the largest, or squares might leave the range of doubles.
double label_sd(const VectorRef& values) {
  std::vector<double> known;
  for (const double value : values) {
    if (!std::isnan(value)) known.push_back(value);
  }
  const Index rows = std::ssize(known);
  Vector scaled = Eigen::Map<const Vector>(known.data(), rows);
  const double size = scaled.cwiseAbs().maxCoeff();
  scaled /= size;
  scaled.array() -= scaled.mean();
  return size * std::sqrt(scaled.squaredNorm() / static_cast<double>(rows - 1));
}

LabelRows::LabelRows(const MatrixRef& labels, const std::vector<Index>& columns) {
  for (Index row = 0; row < labels.rows(); ++row) {
    bool known = true;
    for (const Index column : columns) known = known && !std::isnan(labels(row, column));
    if (known) rows.push_back(row);
  }
  values = labels(rows, columns);
  for (Index c = 0; c < values.cols(); ++c) {
    const Vector all = labels.col(columns[c]);
    numbers.push_back(!is_binary(all));
    if (numbers.back()) values.col(c) /= label_sd(all);
  }
}

std::vector<Index> LabelRows::reference(Index column) const {
  std::vector<Index> places;
  for (Index r = 0; r < std::ssize(rows); ++r) {
    if (numbers[column] || values(r, column) == 0) places.push_back(r);
  }
  return places;
}

}  // namespace atcav
