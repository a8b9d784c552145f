#include "stats/svm.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "atcav/random.h"
#include "stats/testing_fits.h"

namespace atcav::stats {
namespace {

WeightedFit fit_of(Matrix x, const Vector& y, double cost) {
  centre(x);
  return fit_svm(Kernel::of_rows(std::move(x), 1), {Vector::Ones(y.size()), y}, cost);
}

// Costs and sizes of data at which LIBSVM stalls, few rows and many, separable and not. Converged means that
// the dual's value is within 1e-6 of the primal's, which no wrong answer can fake.
TEST(FitSvm, ConvergesForEveryCostAndScale) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{100, 10}, {60, 60}, {40, 200}, {4, 3}}) {
    for (const double cost : {1e-3, 1.0, 1e3}) {
      for (const double scale : {1e-3, 1.0, 30.0}) {
        Matrix x = scale * Stream(5).normal_matrix(rows, columns);
        x.bottomRows(rows - rows / 2).array() += 0.2 * scale;
        const Vector y = signs(rows / 2, rows - rows / 2);
        EXPECT_TRUE(fit_of(x.array() + 10 * scale, y, cost).converged)
            << rows << " x " << columns << ", cost " << cost << ", scale " << scale;
      }
    }
  }
}

// A row that counts k times is the row k times.
TEST(FitSvm, WeightsAreCopies) {
  const Matrix x = Stream(6).normal_matrix(30, 5);
  WeightedRows weighted{Vector::Ones(30), signs(18, 12)};
  std::vector<Index> copies;
  for (Index i = 0; i < 30; ++i) {
    weighted.weights(i) = static_cast<double>(i % 3);
    copies.insert(copies.end(), static_cast<std::size_t>(i % 3), i);
  }
  const WeightedFit fit = fit_svm(Kernel::of_rows(x, 1), weighted, 0.5);
  const Matrix copied = x(copies, Eigen::all);
  const WeightedFit plain =
      fit_svm(Kernel::of_rows(copied, 1), {Vector::Ones(copied.rows()), weighted.labels(copies)}, 0.5);
  const Vector w = x.transpose() * fit.at.coefficients;
  EXPECT_LT((w - copied.transpose() * plain.at.coefficients).norm(), 1e-6 * w.norm());
}

}  // namespace
}  // namespace atcav::stats
