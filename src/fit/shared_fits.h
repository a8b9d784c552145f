#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "atcav/cav.h"
#include "atcav/matrix.h"
#include "fit/fit_rows.h"
#include "fit/weighted_fit.h"

// Many ridge, logistic or svm fits on weighted copies of the same rows: bootstrap, jackknife, halves. K = X
// Xᵀ is known or made once, every fit starts from the one on all rows and asks for products with K
// (weighted_fit.h), and a matrix product answers dozens of fits at once. A fit takes 10 to 100 such products,
// so n² each, most of them in float.
//
//   SharedFits fits(rows, labels, options, threads);
//   fits.solve(200, draw, threads, [&](Index k, const WeightedFit& fit) { ... });
namespace atcav::fit {

class SharedFits {
 public:
  // `labels`: ±1, those of the fit on all rows, which is made here and starts the others. Takes K out of
  // `rows` where it is there.
  SharedFits(FitRows& rows, const Vector& labels, const stats::CavOptions& options, int threads);

  // K over unit()², centred where fits have an intercept; empty where rows have few columns.
  const Matrix& products() const { return exact_.products; }
  double unit() const { return unit_; }
  // What coefficients of fits are multiplied by, so that w = Xᵀγ.
  double factor() const { return factor_; }
  // The fit on all rows; not converged where a direct solver must do it.
  const WeightedFit& full() const { return *full_; }

  using Draw = std::function<WeightedRows(Index)>;
  using Take = std::function<void(Index, const WeightedFit&)>;
  // Fits draw(0) … draw(count-1) and hands each to `take` when it is done, on one of several threads. A fit's
  // numbers depend on its own problem alone, to the last bit.
  void solve(Index count, const Draw& draw, int threads, const Take& take) const;

 private:
  // Of the matrices below, in double and in float.
  template <typename Values>
  struct Factors {
    Values products;          // K; where d < n/2 instead:
    Values rows, transposed;  // X and Xᵀ
    void multiply(const Values& block, Values& product, int threads) const;
    void answer(const std::vector<WeightedFit*>& fits, int threads) const;
  };
  // Gives all of them the products they ask for: those in float, and those in double unless they are few.
  void answer(const std::vector<WeightedFit*>& fits, int threads) const;
  void centre_products(int threads);
  void keep_products(int threads);
  void keep_rows(Matrix rows);

  stats::CavOptions options_;
  Factors<Matrix> exact_;
  Factors<MatrixF> rough_;
  double unit_ = 1;
  double factor_ = 1;
  TopSpace top_;  // of K
  std::unique_ptr<WeightedFit> full_;
};

}  // namespace atcav::fit
