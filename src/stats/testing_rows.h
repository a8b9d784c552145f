#pragma once

#include <cmath>

#include "atcav/matrix.h"

// Small data without structure, which NumPy can make too: x_ij = sin(1.7 i + 2.3 j² + k) + 0.3 cos(5.1 ij +
// k).
namespace atcav::stats {

inline Matrix testing_waves(Index rows, Index columns, double k) {
  Matrix x(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      const auto a = static_cast<double>(i);
      const auto b = static_cast<double>(j);
      x(i, j) = std::sin(1.7 * a + 2.3 * b * b + k) + 0.3 * std::cos(5.1 * a * b + k);
    }
  }
  return x;
}

struct TestingRows {
  Matrix gradients = testing_waves(6, 4, 0.5);
  Matrix concept_rows = testing_waves(9, 4, 1.5);  // the first column moved by 1.5
  Matrix random_rows = testing_waves(14, 4, 2.5);
};

inline TestingRows testing_rows() {
  TestingRows rows;
  rows.concept_rows.col(0).array() += 1.5;
  return rows;
}

}  // namespace atcav::stats
