#include "fit/shared_fits.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "core/block_product.h"
#include "core/check.h"
#include "core/parallel.h"

namespace atcav::fit {
namespace {

constexpr Index kMostAtOnce = 128;  // fits that share a product
// Numbers of K in float. Where it is larger, threads work on one product together: each would have to read
// all of K from memory for its own.
constexpr Index kStaysInCache = Index{3} << 20;
constexpr Index kFullBlock = 32;  // requests in double that are worth a product of their own

template <typename Scalar>
Index padded(Index columns) {
  return (columns + kBlockStep<Scalar> - 1) / kBlockStep<Scalar> * kBlockStep<Scalar>;
}

}  // namespace

template <typename Values>
void SharedFits::Factors<Values>::multiply(const Values& block, Values& product, int threads) const {
  if (products.size() > 0) {
    multiply_block(products, block, product, threads);
    return;
  }
  Values inner;
  multiply_block(transposed, block, inner, threads);
  multiply_block(rows, inner, product, threads);
}

// The requests of some fits as the columns of one block.
template <typename Values>
void SharedFits::Factors<Values>::answer(const std::vector<WeightedFit*>& fits, int threads) const {
  using Scalar = typename Values::Scalar;
  if (fits.empty()) return;
  Values block = Values::Zero(fits.front()->request().size(), padded<Scalar>(std::ssize(fits)));
  Values product;
  for (std::size_t i = 0; i < fits.size(); ++i)
    block.col(static_cast<Index>(i)) = fits[i]->request().template cast<Scalar>();
  multiply(block, product, threads);
  parallel_for(std::ssize(fits), threads, [&](Index i) {
    fits[static_cast<std::size_t>(i)]->answer(product.col(i).template cast<double>());
  });
}

void SharedFits::answer(const std::vector<WeightedFit*>& fits, int threads) const {
  std::vector<WeightedFit*> rough;
  std::vector<WeightedFit*> exact;
  for (WeightedFit* fit : fits) (fit->rough() ? rough : exact).push_back(fit);
  // Few requests in double wait for more, as long as there is other work.
  if (std::ssize(exact) < kFullBlock && !rough.empty()) exact.clear();
  rough_.answer(rough, threads);
  exact_.answer(exact, threads);
}

// With an intercept a shift of all rows changes nothing, and without the mean products are as exact as can
// be.
SharedFits::SharedFits(FitRows& rows, const Vector& labels, const stats::CavOptions& options, int threads)
    : options_(options) {
  if (options.method == stats::CavMethod::kRidge) {
    check_positive("fit_cav", "lambda", options.lambda);
  } else {
    check_positive("fit_cav", "cost", options.cost);
  }
  if (rows.by_products()) {
    exact_.products = std::move(rows.products);
    if (options.has_intercept()) centre_products(threads);
    unit_ = stats::unit_of(exact_.products.diagonal().mean());
    exact_.products /= unit_ * unit_;
    keep_products(threads);
  } else {
    Matrix centred = rows.rows;
    if (options.has_intercept()) stats::centre(centred);
    unit_ = stats::unit_of(centred.rowwise().squaredNorm().mean());
    centred /= unit_;
    if (2 * centred.cols() >= centred.rows()) {
      exact_.products = row_products(centred, threads);
      keep_products(threads);
    } else {
      keep_rows(std::move(centred));
    }
  }
  const Vector diagonal = exact_.products.size() > 0 ? Vector(exact_.products.diagonal())
                                                     : Vector(exact_.rows.rowwise().squaredNorm());
  options_.lambda = stats::ridge_penalty(options.lambda / (unit_ * unit_), diagonal.mean());
  options_.cost *= unit_ * unit_;
  const double cost = options_.cost;
  options_.cost = stats::cost_in_reach(options_, diagonal.cwiseMax(0).cwiseSqrt());
  factor_ = std::min(cost / options_.cost, 1.0) / (unit_ * unit_);
  top_ = find_top_space(diagonal, [&](const Matrix& block) {
    Matrix product;
    exact_.multiply(block, product, threads);
    return product;
  });
  full_ = std::make_unique<WeightedFit>(WeightedRows{Vector::Ones(labels.size()), labels}, options_, top_,
                                        nullptr);
  while (!full_->done()) {
    throw_if_stopped();
    answer({full_.get()}, threads);
  }
}

void SharedFits::centre_products(int threads) {
  Matrix& products = exact_.products;
  const Vector means = products.rowwise().mean();
  const Vector less = means.array() - means.mean() / 2;
  parallel_for(products.rows(), threads,
               [&](Index i) { products.row(i).array() -= less.transpose().array() + less(i); });
}

void SharedFits::keep_products(int threads) {
  const Matrix& products = exact_.products;
  rough_.products.resize(products.rows(), products.cols());
  parallel_for(products.rows(), threads,
               [&](Index i) { rough_.products.row(i) = products.row(i).cast<float>(); });
}

void SharedFits::keep_rows(Matrix rows) {
  exact_.transposed = rows.transpose();
  rough_.rows = rows.cast<float>();
  rough_.transposed = exact_.transposed.cast<float>();
  exact_.rows = std::move(rows);
}

void SharedFits::solve(Index count, const Draw& draw, int threads, const Take& take) const {
  if (count == 0) return;
  if (threads <= 0) threads = available_threads();
  const FitPoint* start = full_->converged() ? &full_->point() : nullptr;
  const bool together = rough_.products.size() + rough_.rows.size() > kStaysInCache;
  const Index groups = together ? 1 : std::min<Index>(threads, count);
  const int in_group = together ? threads : 1;
  const Index at_once = std::clamp<Index>((count + groups - 1) / groups, 1, kMostAtOnce);
  struct Running {
    Index number;
    std::unique_ptr<WeightedFit> fit;
  };
  std::atomic<Index> next{0};
  parallel_for(groups, threads, [&](Index) {
    std::vector<Running> running;
    for (;;) {
      const Index old = std::ssize(running);
      while (std::ssize(running) < at_once) {
        const Index number = next++;
        if (number >= count) break;
        running.push_back({number, nullptr});
      }
      if (running.empty()) return;
      parallel_for(std::ssize(running) - old, in_group, [&](Index i) {
        Running& one = running[static_cast<std::size_t>(old + i)];
        one.fit = std::make_unique<WeightedFit>(draw(one.number), options_, top_, start);
      });
      throw_if_stopped();
      std::vector<WeightedFit*> open;
      for (const Running& one : running)
        if (!one.fit->done()) open.push_back(one.fit.get());
      answer(open, in_group);
      const auto end =
          std::partition(running.begin(), running.end(), [](const Running& one) { return !one.fit->done(); });
      parallel_for(running.end() - end, in_group, [&](Index i) { take(end[i].number, *end[i].fit); });
      running.erase(end, running.end());
    }
  });
}

}  // namespace atcav::fit
