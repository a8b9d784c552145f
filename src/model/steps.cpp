#include <algorithm>

#include "atcav/model.h"
#include "core/check.h"
#include "core/long_products.h"
#include "core/parallel.h"

namespace atcav::model {

MatrixF moved(const Rows& activations, const Steps& steps) {
  const auto at = activations.host();
  check_same("moved", "columns", "activations", at.cols(), "the steps", steps.directions.cols());
  const Index count = steps.coefficients.cols();
  const bool own = steps.directions.rows() != count;
  check_same("moved", "directions", "the steps", steps.directions.rows(), "their coefficients",
             own ? count * at.rows() : count);
  const bool alike = steps.coefficients.rows() == 1;
  if (!alike)
    check_same("moved", "examples", "activations", at.rows(), "the steps", steps.coefficients.rows());
  MatrixF there(at.rows(), at.cols());
  Eigen::RowVectorXf step(at.cols());
  for (Index j = 0; j < at.rows(); ++j) {
    step.setZero();
    for (Index i = 0; i < count; ++i)
      step += steps.coefficients(alike ? 0 : j, i) * steps.directions.row(own ? i * at.rows() + j : i);
    there.row(j) = at.row(j) + step;
  }
  return there;
}

Eigen::RowVectorXd Model::sum(const Rows& rows, int threads) const {
  constexpr Index kStripe = 4096;
  const auto values = rows.host();
  Eigen::RowVectorXd sum(values.cols());
  parallel_for((values.cols() + kStripe - 1) / kStripe, threads, [&](Index stripe) {
    const Index begin = stripe * kStripe;
    const Index width = std::min(kStripe, values.cols() - begin);
    const Matrix part = values.middleCols(begin, width).cast<double>();
    sum.segment(begin, width) = part.colwise().sum();
  });
  return sum;
}

Matrix HeldDirections::products(const Rows& rows, int threads) const {
  return long_products(rows.host(), directions_, threads);
}

}  // namespace atcav::model
