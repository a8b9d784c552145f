#include "atcav/span/shared_fits.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "atcav/base/block_product.h"
#include "atcav/base/check.h"
#include "atcav/base/parallel.h"

namespace atcav::span {
namespace {

constexpr Index kMostAtOnce = 32;  // fits that share a product

Index padded(Index columns) { return (columns + kBlockStep - 1) / kBlockStep * kBlockStep; }

}  // namespace

SharedFits::SharedFits(const Matrix& rows, const Vector& labels, const stats::CavOptions& options,
                       int threads)
    : options_(options), rows_(rows) {
  if (options.method == stats::CavMethod::kRidge) {
    check_positive("fit_cav", "lambda", options.lambda);
  } else {
    check_positive("fit_cav", "cost", options.cost);
  }
  // With an intercept a shift of all rows changes nothing, and without the mean products are as exact as can
  // be.
  if (options.method != stats::CavMethod::kRidge || options.centred)
    rows_.rowwise() -= rows.colwise().mean().eval();
  if (2 * rows_.cols() >= rows_.rows()) {
    products_ = row_products(rows_, threads);
    diagonal_ = products_.diagonal();
    rows_.resize(0, 0);
  } else {
    transposed_ = rows_.transpose();
    diagonal_ = rows_.rowwise().squaredNorm();
  }
  const auto all = [&](Index) { return WeightedRows{Vector::Ones(labels.size()), labels}; };
  solve(1, all, false, 1,
        [&](Index, const WeightedRows&, const NewtonFit& fit) { full_ = std::make_unique<NewtonFit>(fit); });
}

void SharedFits::multiply(const Matrix& block, Matrix& product) const {
  if (products_.size() > 0) {
    multiply_block(products_, block, product);
    return;
  }
  Matrix inner;
  multiply_block(transposed_, block, inner);
  multiply_block(rows_, inner, product);
}

void SharedFits::solve(Index count, const Draw& draw, bool warm, int threads, const Take& take) const {
  struct Running {
    Index number;
    WeightedRows rows;
    NewtonFit fit;
  };
  if (threads <= 0) threads = available_threads();
  const Index workers = std::min<Index>(threads, count);
  const Index at_once = std::clamp<Index>((count + threads - 1) / threads, 1, kMostAtOnce);
  const FitPoint* start = warm && full_ && full_->converged() ? &full_->point() : nullptr;
  std::atomic<Index> next{0};
  parallel_for(workers, threads, [&](Index) {
    std::vector<Running> running;
    Matrix block;
    Matrix product;
    Vector column;
    for (;;) {
      while (static_cast<Index>(running.size()) < at_once) {
        const Index number = next++;
        if (number >= count) break;
        WeightedRows rows = draw(number);
        NewtonFit fit(rows, options_, diagonal_, start);
        running.push_back({number, std::move(rows), std::move(fit)});
      }
      if (running.empty()) return;
      throw_if_stopped();
      block.setZero(size(), padded(static_cast<Index>(running.size())));
      for (std::size_t i = 0; i < running.size(); ++i) {
        if (!running[i].fit.done()) block.col(static_cast<Index>(i)) = running[i].fit.request();
      }
      multiply(block, product);
      for (std::size_t i = 0; i < running.size(); ++i) {
        if (running[i].fit.done()) continue;
        column = product.col(static_cast<Index>(i));
        running[i].fit.answer(column);
      }
      std::erase_if(running, [&](const Running& one) {
        if (one.fit.done()) take(one.number, one.rows, one.fit);
        return one.fit.done();
      });
    }
  });
}

}  // namespace atcav::span
