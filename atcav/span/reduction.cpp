#include "atcav/span/reduction.h"

#include <cmath>

#include "atcav/base/check.h"
#include "atcav/stats/gram_factor.h"

namespace atcav::span {
namespace {

constexpr double kFloatRounding = 0x1p-24;

// The centre may be a thousand times longer than a centred row; at their length it cannot hide them
// from the factorisation's tolerance.
double centre_scale(const Matrix& gram) {
  const Index n = gram.rows() - 1;
  const double rows = gram.diagonal().head(n).mean();
  return rows > 0 && gram(n, n) > 0 ? std::sqrt(rows / gram(n, n)) : 1;
}

}  // namespace

Reduction reduce(const Pass& pass, const MatrixFRef& gradients) {
  check_same("reduce", "columns", "gradients", gradients.cols(), "the pass", pass.dimension);
  check_same("reduce", "rows", "gradients", gradients.rows(), "the pass", pass.centre_projection.size());
  Reduction reduction;
  reduction.first = {0};
  for (const SetPass& set : pass.sets) {
    reduction.first.push_back(reduction.first.back() + set.projections.columns());
  }
  if (pass.features) {
    reduction.features = pass.features->cast<double>();
    reduction.gradients = gradients.cast<double>();
    return reduction;
  }
  if (!pass.gram) fail_argument("reduce", "the pass has no Gram matrix, ask for it with options.gram");

  const Index n = reduction.first.back();
  const double scale = centre_scale(*pass.gram);
  Matrix gram = *pass.gram;
  gram.row(n) *= scale;
  gram.col(n) *= scale;
  if (!pass.exact) gram.diagonal() *= 1 + kFloatRounding;
  const stats::GramFactor factor = stats::factor_gram(gram);

  Matrix products(gradients.rows(), n + 1);
  for (std::size_t s = 0; s < pass.sets.size(); ++s) {
    const Matrix& values = pass.sets[s].projections.values;
    products.middleCols(reduction.first[s], values.cols()) = values;
  }
  products.col(n) = pass.centre_projection * scale;
  reduction.gradients = stats::coordinates(factor, products);
  reduction.features = factor.rows.topRows(n).rowwise() + factor.rows.row(n) / scale;
  return reduction;
}

}  // namespace atcav::span
