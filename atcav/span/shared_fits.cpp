#include "atcav/span/shared_fits.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "atcav/base/block_product.h"
#include "atcav/base/check.h"
#include "atcav/base/parallel.h"

namespace atcav::span {
namespace {

constexpr Index kMostAtOnce = 64;  // fits that share a product
constexpr Index kFullBlock = 16;   // requests in double that are worth a product of their own

template <typename Scalar>
Index padded(Index columns) {
  return (columns + kBlockStep<Scalar> - 1) / kBlockStep<Scalar> * kBlockStep<Scalar>;
}

// A power of two near the mean, so that dividing by it rounds nothing.
double near_power(double mean) { return mean > 0 && std::isfinite(mean) ? std::exp2(std::ilogb(mean)) : 1; }

}  // namespace

template <typename Values>
void SharedFits::Factors<Values>::multiply(const Values& block, Values& product) const {
  if (products.size() > 0) {
    multiply_block(products, block, product);
    return;
  }
  Values inner;
  multiply_block(transposed, block, inner);
  multiply_block(rows, inner, product);
}

template <typename Values>
Values SharedFits::Factors<Values>::multiply(const Values& block, int threads) const {
  constexpr Index kWidth = 2 * kBlockStep<typename Values::Scalar>;
  Values result(block.rows(), block.cols());
  parallel_for((block.cols() + kWidth - 1) / kWidth, threads, [&](Index part) {
    const Index first = part * kWidth;
    const Index count = std::min(kWidth, block.cols() - first);
    Values product;
    multiply(block.middleCols(first, count), product);
    result.middleCols(first, count) = product;
  });
  return result;
}

// The requests of some fits as the columns of one block, and their products.
template <typename Values>
class SharedFits::Answers {
 public:
  explicit Answers(const Factors<Values>& factors, double scale) : factors_(factors), scale_(scale) {}

  void ask(NewtonFit& fit) { fits_.push_back(&fit); }
  Index asked() const { return static_cast<Index>(fits_.size()); }
  void forget() { fits_.clear(); }

  void give() {
    if (fits_.empty()) return;
    const auto count = static_cast<Index>(fits_.size());
    const Index n = fits_.front()->request().size();
    block_.setZero(n, padded<typename Values::Scalar>(count));
    for (Index i = 0; i < count; ++i)
      block_.col(i) = fits_[static_cast<std::size_t>(i)]->request().template cast<typename Values::Scalar>();
    factors_.multiply(block_, product_);
    for (Index i = 0; i < count; ++i) {
      column_ = scale_ * product_.col(i).template cast<double>();
      fits_[static_cast<std::size_t>(i)]->answer(column_);
    }
    fits_.clear();
  }

 private:
  const Factors<Values>& factors_;
  double scale_;
  std::vector<NewtonFit*> fits_;
  Values block_, product_;
  Vector column_;
};

SharedFits::SharedFits(const Matrix& rows, const Vector& labels, const stats::CavOptions& options,
                       int threads)
    : options_(options) {
  if (options.method == stats::CavMethod::kRidge) {
    check_positive("fit_cav", "lambda", options.lambda);
  } else {
    check_positive("fit_cav", "cost", options.cost);
  }
  Matrix centred = rows;
  // With an intercept a shift of all rows changes nothing, and without the mean products are as exact as can
  // be.
  if (options.method != stats::CavMethod::kRidge || options.centred)
    centred.rowwise() -= rows.colwise().mean().eval();
  Vector diagonal = centred.rowwise().squaredNorm();
  scale_ = near_power(diagonal.mean());
  if (2 * rows.cols() >= rows.rows()) {
    exact_.products = row_products(centred, threads);
    diagonal = exact_.products.diagonal();
    rough_.products = (exact_.products / scale_).cast<float>();
  } else {
    exact_.transposed = centred.transpose();
    rough_.rows = (centred / scale_).cast<float>();
    rough_.transposed = exact_.transposed.cast<float>();
    exact_.rows = std::move(centred);
  }
  top_ = find_top_space(diagonal, [&](const Matrix& block) { return exact_.multiply(block, threads); });
  const auto all = [&](Index) { return WeightedRows{Vector::Ones(labels.size()), labels}; };
  solve(1, all, false, 1,
        [&](Index, const WeightedRows&, const NewtonFit& fit) { full_ = std::make_unique<NewtonFit>(fit); });
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
    Answers<Matrix> exact(exact_, 1);
    Answers<MatrixF> rough(rough_, scale_);
    for (;;) {
      while (static_cast<Index>(running.size()) < at_once) {
        const Index number = next++;
        if (number >= count) break;
        WeightedRows rows = draw(number);
        NewtonFit fit(rows, options_, top_, start);
        running.push_back({number, std::move(rows), std::move(fit)});
      }
      if (running.empty()) return;
      throw_if_stopped();
      for (Running& one : running) {
        if (one.fit.done()) continue;
        if (one.fit.rough()) {
          rough.ask(one.fit);
        } else {
          exact.ask(one.fit);
        }
      }
      // Few requests in double wait for more, as long as there is other work.
      if (exact.asked() < kFullBlock && rough.asked() > 0) exact.forget();
      rough.give();
      exact.give();
      std::erase_if(running, [&](const Running& one) {
        if (one.fit.done()) take(one.number, one.rows, one.fit);
        return one.fit.done();
      });
    }
  });
}

}  // namespace atcav::span
