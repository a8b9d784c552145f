#include "atcav/stats/svm.h"

#include <libsvm/svm.h>

#include <memory>
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

}  // namespace

Cav fit_svm(const MatrixRef& rows, const VectorRef& labels, double cost) {
  check_positive("fit_cav", "cost", cost);
  const Eigen::RowVectorXd centre = rows.colwise().mean();
  const Matrix centred = rows.rowwise() - centre;
  std::vector<svm_node> nodes = to_nodes(centred);
  std::vector<svm_node*> starts;
  for (Index i = 0; i < rows.rows(); ++i)
    starts.push_back(&nodes[static_cast<std::size_t>(i * (rows.cols() + 1))]);
  std::vector<double> y(labels.data(), labels.data() + labels.size());
  const svm_problem problem{static_cast<int>(rows.rows()), y.data(), starts.data()};
  svm_parameter parameter{};
  parameter.svm_type = C_SVC;
  parameter.kernel_type = LINEAR;
  parameter.cache_size = 256;
  parameter.eps = 1e-6;
  parameter.C = cost;
  parameter.shrinking = 1;
  svm_set_print_string_function([](const char*) {});
  const std::unique_ptr<svm_model, FreeModel> model(svm_train(&problem, &parameter));

  Vector direction = Vector::Zero(rows.cols());
  for (int i = 0; i < model->l; ++i) {
    direction += model->sv_coef[0][i] * centred.row(model->sv_indices[i] - 1).transpose();
  }
  // LIBSVM's sign follows the label it met first.
  const double sign = model->label[0] > 0 ? 1 : -1;
  direction *= sign;
  return {direction, -sign * model->rho[0] - centre.dot(direction)};
}

}  // namespace atcav::stats
