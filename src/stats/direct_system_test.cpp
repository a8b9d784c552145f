#include "stats/direct_system.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

// Some rows of a kernel, in both of its forms, with a diagonal of many decades.
TEST(DirectSystem, SolvesWhatItMultiplies) {
  for (const Index columns : {5, 70}) {
    const Matrix rows = Stream(1).normal_matrix(40, columns);
    const std::vector<Index> chosen = {3, 4, 7, 20, 21, 22, 39};
    DirectSystem system(Kernel::of_rows(rows, 1), chosen);
    const Matrix own = rows(chosen, Eigen::all);
    const Vector diagonal = Vector::LinSpaced(7, -6, 6).unaryExpr([](double t) { return std::pow(10, t); });
    system.set_diagonal(diagonal);
    const Vector x = Stream(2).normal_matrix(7, 1);
    EXPECT_TRUE(system.times(x).isApprox(own * (own.transpose() * x), 1e-13));
    const Vector found = system.solve(system.times(x) + diagonal.cwiseProduct(x));
    EXPECT_TRUE(found.isApprox(x, 1e-6)) << (found - x).norm();
  }
}

}  // namespace
}  // namespace atcav::stats
