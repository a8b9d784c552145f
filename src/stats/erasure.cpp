#include "stats/erasure.h"

#include <Eigen/Dense>

#include "core/check.h"

namespace atcav::stats {
namespace {

// Activations have seven digits, so a smaller cosine is their rounding.
constexpr double kLeastCosine = 1e-6;

}  // namespace

std::optional<Eraser> make_eraser(const MatrixRef& directions, const MatrixRef& tellers,
                                  const VectorRef& random_mean) {
  check_same("make_eraser", "rows", "directions", directions.rows(), "tellers", tellers.rows());
  check_same("make_eraser", "columns", "directions", directions.cols(), "tellers", tellers.cols());
  check_same("make_eraser", "columns", "directions", directions.cols(), "the random mean",
             random_mean.size());
  const Vector lengths = directions.rowwise().stableNorm();
  const Vector seeing = tellers.rowwise().stableNorm();
  if (!(lengths.minCoeff() > 0) || !(seeing.minCoeff() > 0)) return std::nullopt;
  const Eigen::MatrixXd cosines = seeing.cwiseInverse().asDiagonal() * (tellers * directions.transpose()) *
                                  lengths.cwiseInverse().asDiagonal();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(cosines);
  if (!(svd.singularValues().minCoeff() > kLeastCosine)) return std::nullopt;
  Eraser eraser{directions, {}, {}};
  eraser.readers =
      lengths.cwiseInverse().asDiagonal() * cosines.inverse() * seeing.cwiseInverse().asDiagonal() * tellers;
  eraser.offset = eraser.readers * random_mean;
  return eraser;
}

Matrix shares(const Eraser& eraser, const MatrixFRef& rows) {
  check_same("shares", "columns", "rows", rows.cols(), "the eraser", eraser.readers.cols());
  Matrix found(rows.rows(), eraser.readers.rows());
  for (Index row = 0; row < rows.rows(); ++row) {
    found.row(row) = (eraser.readers * rows.row(row).transpose().cast<double>() - eraser.offset).transpose();
  }
  return found;
}

MatrixF erase(const Eraser& eraser, const MatrixFRef& rows) {
  const Matrix taken = shares(eraser, rows);
  MatrixF left(rows.rows(), rows.cols());
  for (Index row = 0; row < rows.rows(); ++row)
    left.row(row) = (rows.row(row).cast<double>() - taken.row(row) * eraser.directions).cast<float>();
  return left;
}

}  // namespace atcav::stats
