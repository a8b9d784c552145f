#include "atcav/stats/svm.h"

#include <libsvm/svm.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "atcav/base/check.h"

namespace atcav::stats {
namespace {

struct FreeModel {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

// LIBSVM's sparse rows, all entries given, each ended by index -1.
std::vector<svm_node> to_nodes(const Matrix& rows) {
  std::vector<svm_node> nodes;
  nodes.reserve(static_cast<std::size_t>(rows.rows() * (rows.cols() + 1)));
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) nodes.push_back({static_cast<int>(j + 1), rows(i, j)});
    nodes.push_back({-1, 0});
  }
  return nodes;
}

struct Solution {
  Vector coefficients;  // β = α y, n: w = Σ βᵢ xᵢ
  double intercept = 0;
};

Solution train(const Matrix& rows, const VectorRef& labels, double cost, double tolerance) {
  std::vector<svm_node> nodes = to_nodes(rows);
  std::vector<svm_node*> starts;
  for (Index i = 0; i < rows.rows(); ++i) {
    starts.push_back(&nodes[static_cast<std::size_t>(i * (rows.cols() + 1))]);
  }
  std::vector<double> y(labels.data(), labels.data() + labels.size());
  const svm_problem problem{static_cast<int>(rows.rows()), y.data(), starts.data()};
  svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = LINEAR;
  parameter.cache_size = 256;
  parameter.eps = tolerance;
  parameter.C = cost;
  parameter.shrinking = 1;
  svm_set_print_string_function([](const char*) {});
  const std::unique_ptr<svm_model, FreeModel> model(svm_train(&problem, &parameter));
  // LIBSVM's sign follows the label it met first.
  const double sign = model->label[0] > 0 ? 1 : -1;
  Solution solution{Vector::Zero(rows.rows()), -sign * model->rho[0]};
  for (int i = 0; i < model->l; ++i) {
    solution.coefficients(model->sv_indices[i] - 1) = sign * model->sv_coef[0][i];
  }
  return solution;
}

// Once it is known which examples lie on the margin (0 < α < C), beyond it (C) or clear of it (0), the
// optimum is the solution of a linear system. Nothing if the guess was wrong: some condition then fails.
std::optional<Solution> polished(const Matrix& rows, const VectorRef& labels, double cost,
                                 const Solution& rough) {
  constexpr double kSlack = 1e-7;
  std::vector<Index> margin;
  Vector bounded = Vector::Zero(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    const double alpha = rough.coefficients(i) * labels(i);
    if (alpha >= cost) bounded(i) = cost * labels(i);
    if (alpha > 0 && alpha < cost) margin.push_back(i);
  }
  const auto size = static_cast<Index>(margin.size());
  if (size == 0 || size > rows.cols() + 1) return std::nullopt;
  const Matrix on_margin = rows(margin, Eigen::all);
  const Vector pull = rows.transpose() * bounded;
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(size + 1, size + 1);
  system.topLeftCorner(size, size) = on_margin * on_margin.transpose();
  system.col(size).head(size).setOnes();
  system.row(size).head(size).setOnes();
  Vector right(size + 1);
  right << Vector(labels(margin)) - on_margin * pull, -bounded.sum();
  const Vector found = system.partialPivLu().solve(right);
  if (!found.allFinite() || (system * found - right).norm() > kSlack * (1 + right.norm()))
    return std::nullopt;

  Solution exact{bounded, found(size)};
  for (Index k = 0; k < size; ++k) {
    const double alpha = found(k) * labels(margin[k]);
    if (alpha < -kSlack * cost || alpha > cost * (1 + kSlack)) return std::nullopt;
    exact.coefficients(margin[k]) = found(k);
  }
  const Vector margins =
      labels.array() * ((rows * (rows.transpose() * exact.coefficients)).array() + exact.intercept);
  for (Index i = 0; i < rows.rows(); ++i) {
    if (exact.coefficients(i) == 0 && margins(i) < 1 - kSlack) return std::nullopt;
    if (bounded(i) != 0 && margins(i) > 1 + kSlack) return std::nullopt;
  }
  return exact;
}

}  // namespace

Cav fit_svm(const MatrixRef& rows, const VectorRef& labels, double cost) {
  check_positive("fit_cav", "cost", cost);
  const Eigen::RowVectorXd centre = rows.colwise().mean();
  const Matrix centred = rows.rowwise() - centre;
  const Solution rough = train(centred, labels, cost, 1e-3);
  std::optional<Solution> solution = polished(centred, labels, cost, rough);
  if (!solution) solution = train(centred, labels, cost, 1e-6);
  const Vector direction = centred.transpose() * solution->coefficients;
  return {direction, solution->intercept - centre.dot(direction)};
}

}  // namespace atcav::stats
