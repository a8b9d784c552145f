#pragma once

#include <vector>

#include "atcav/matrix.h"

// What many refits of a difference of means come down to: sums of columns of one m × n matrix.
namespace atcav::fit {

// m × n values, kept as sums read them: the values of some inputs (a panel) lie together for each column.
class Panels {
 public:
  static constexpr Index kWidth = 32;

  Panels() = default;
  Panels(Index inputs, Index columns);
  Index inputs() const { return inputs_; }
  Index columns() const { return columns_; }
  Index count() const { return static_cast<Index>(panels_.size()); }
  // n × kWidth; zeros behind the last input.
  const Matrix& panel(Index p) const { return panels_[static_cast<std::size_t>(p)]; }
  // Inputs of this panel.
  Index width(Index p) const;
  // These columns, and those behind them.
  void set(Index first, const MatrixRef& values, int threads);

 private:
  Index inputs_ = 0;
  Index columns_ = 0;
  std::vector<Matrix> panels_;
};

// Row k: Σ weights(k, i) · column i. weights: K × n. Returns K × m. Ten times the speed of adding column
// after column, because each is read once for many refits. Does not depend on the number of threads.
Matrix weighted_sums(const Matrix& weights, const Panels& values, int threads);

// Row k: Σ weights_i · column i over the i in chosen[k], in that order. Does not depend on the number of
// threads.
Matrix chosen_sums(const std::vector<std::vector<Index>>& chosen, const Vector& weights, const Panels& values,
                   int threads);

}  // namespace atcav::fit
