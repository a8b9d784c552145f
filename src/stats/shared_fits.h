#pragma once

#include <functional>

#include "atcav/cav.h"
#include "atcav/matrix.h"
#include "stats/newton.h"

// Many ridge, logistic or svm fits on weighted copies of the same rows: bootstrap, jackknife, halves. K = X
// Xᵀ is known or made once, every fit starts from the one on all rows, and a product with K serves dozens of
// them (newton.h). A fit takes 10 to 100 such products, n² each, most of them in float.
//
//   SharedFits fits(SharedFits::Seen::kRows, rows, labels, options, threads);
//   fits.solve(200, draw, threads, [&](Index k, const WeightedFit& fit) { ... });
namespace atcav::stats {

class SharedFits {
 public:
  enum class Seen { kRows, kProducts };
  // `values`: X or K. `labels`: ±1, those of the fit on all rows, which is made here and starts the others.
  SharedFits(Seen seen, Matrix values, const Vector& labels, const CavOptions& options, int threads);

  double unit() const { return unit_; }
  // What coefficients of fits are multiplied by, so that w = Xᵀγ.
  double factor(const WeightedRows& rows) const;
  const WeightedFit& full() const { return full_; }

  using Draw = std::function<WeightedRows(Index)>;
  using Take = std::function<void(Index, const WeightedFit&)>;
  // Fits draw(0) … draw(count-1) and hands each to `take` when it is done, on one of several threads. A fit's
  // numbers depend on its own problem alone, to the last bit.
  void solve(Index count, const Draw& draw, int threads, const Take& take) const;

 private:
  FitSetting setting() const { return {&kernel_, &top_, options_}; }

  CavOptions options_;
  double unit_ = 1;
  double factor_ = 1;
  Kernel kernel_;
  TopSpace top_;
  WeightedFit full_;
};

}  // namespace atcav::stats
