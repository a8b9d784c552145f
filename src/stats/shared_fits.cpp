#include "stats/shared_fits.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/parallel.h"

namespace atcav::stats {
namespace {

constexpr Index kMostAtOnce = 128;  // fits that share a product

// Means taken off the rows behind these products.
void centre_products(Matrix& products, int threads) {
  const Vector means = products.rowwise().mean();
  const Vector less = means.array() - means.mean() / 2;
  parallel_for(products.rows(), threads,
               [&](Index i) { products.row(i).array() -= less.transpose().array() + less(i); });
}

}  // namespace

// With an intercept a shift of all rows changes nothing, and without the mean products are as exact as can
// be.
SharedFits::SharedFits(Seen seen, Matrix values, const Vector& labels, const CavOptions& options, int threads)
    : options_(options) {
  if (options.method == CavMethod::kRidge) {
    check_positive("fit_cav", "lambda", options.lambda);
  } else {
    check_positive("fit_cav", "cost", options.cost);
  }
  if (seen == Seen::kProducts) {
    if (options.has_intercept()) centre_products(values, threads);
    unit_ = unit_of(values.diagonal().mean());
    values /= unit_ * unit_;
    kernel_ = Kernel::of_products(std::move(values), threads);
  } else {
    if (options.has_intercept()) centre(values);
    unit_ = unit_of(values.rowwise().squaredNorm().mean());
    values /= unit_;
    kernel_ = Kernel::of_rows(std::move(values), threads);
  }
  options_.lambda = ridge_penalty(options.lambda / (unit_ * unit_), kernel_.diagonal().mean());
  options_.cost *= unit_ * unit_;
  const double cost = options_.cost;
  options_.cost = cost_in_reach(options_, kernel_.diagonal().cwiseMax(0).cwiseSqrt());
  factor_ = std::min(cost / options_.cost, 1.0) / (unit_ * unit_);
  top_ =
      find_top_space(kernel_.diagonal(), [&](const Matrix& block) { return kernel_.times(block, threads); });
  full_ =
      std::move(fit_together(setting(), {{Vector::Ones(labels.size()), labels}}, nullptr, threads).front());
}

double SharedFits::factor(const WeightedRows& rows) const {
  return options_.method == CavMethod::kRidge ? factor_ * std::sqrt(rows.weights.sum()) : factor_;
}

void SharedFits::solve(Index count, const Draw& draw, int threads, const Take& take) const {
  if (count == 0) return;
  if (threads <= 0) threads = available_threads();
  const FitPoint* start = full_.converged ? &full_.at : nullptr;
  // Where K is large, threads work on one product together: each would have to read all of it for its own.
  const int together = kernel_.is_large() ? threads : 1;
  const Index at_once =
      std::clamp<Index>((count + threads / together - 1) / (threads / together), 1, kMostAtOnce);
  parallel_for((count + at_once - 1) / at_once, threads / together, [&](Index block) {
    const Index first = block * at_once;
    std::vector<WeightedRows> problems(static_cast<std::size_t>(std::min(at_once, count - first)));
    const Index own = std::ssize(problems);
    parallel_for(own, together, [&](Index k) { problems[static_cast<std::size_t>(k)] = draw(first + k); });
    const std::vector<WeightedFit> fits = fit_together(setting(), std::move(problems), start, together);
    parallel_for(own, together, [&](Index k) { take(first + k, fits[static_cast<std::size_t>(k)]); });
  });
}

}  // namespace atcav::stats
