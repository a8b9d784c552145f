#pragma once

#include <utility>

#include "atcav/matrix.h"

// Sums in double whose roundings are carried along in a second double (Knuth's two-sum): about 106 binary
// digits instead of 53. Their total, rounded once at the end, is the same in whatever order and grouping the
// terms came, so ranks can each add up their rows.
namespace atcav::pass {

struct CarriedSums {
  Matrix values;
  Matrix carried;  // what `values` rounded off; mostly zeros where the terms are floats

  CarriedSums() = default;
  explicit CarriedSums(Matrix sums) : values(std::move(sums)), carried(Matrix::Zero(rows(), columns())) {}

  Index rows() const { return values.rows(); }
  Index columns() const { return values.cols(); }

  // Adds terms, whose rows lie together, to the columns first …
  template <typename Terms>
  void add(Index first, const Terms& terms) {
    for (Index i = 0; i < terms.rows(); ++i) {
      const auto* term = terms.data() + i * terms.cols();
      double* sum = values.data() + i * columns() + first;
      double* rest = carried.data() + i * columns() + first;
      for (Index j = 0; j < terms.cols(); ++j) {
        const auto added = static_cast<double>(term[j]);
        const double total = sum[j] + added;
        const double part = total - sum[j];
        rest[j] += (sum[j] - (total - part)) + (added - part);
        sum[j] = total;
      }
    }
  }
  void add(const CarriedSums& other) {
    add(0, other.values);
    add(0, other.carried);
  }
  Matrix total() const { return values + carried; }
};

}  // namespace atcav::pass
