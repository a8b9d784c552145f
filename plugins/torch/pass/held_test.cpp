#include "plugins/torch/pass/held.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/random.h"
#include "plugins/torch/pass/rows.h"

namespace atcav::plugin {
namespace {

at::Tensor rows() { return at::arange(12, at::kFloat).reshape({4, 3}); }

TEST(MovedRows, AreThoseOfMemory) {
  const MatrixF ways{{1, 0, 2}, {0, -1, 1}};
  for (const model::Steps& steps :
       {model::Steps{MatrixF{{2, -3}}, ways}, model::Steps{MatrixF{{2, -3}, {0, 1}, {1, 1}, {0.5, 4}}, ways},
        model::Steps{MatrixF::Constant(4, 2, 3), ways.replicate(4, 1)}}) {
    const TorchRows moved({moved_rows(rows(), steps)});
    EXPECT_EQ(MatrixF(moved.host()), model::moved(TorchRows({rows()}), steps));
  }
  EXPECT_THROW(moved_rows(rows(), {MatrixF::Ones(1, 1), MatrixF::Ones(1, 2)}), std::invalid_argument);
}

TEST(HeldDirections, MultiplyRowsWhereverTheyLie) {
  const Matrix directions = Stream(1).normal_matrix(2, 3);
  const TorchRows parts({rows().narrow(0, 0, 1), rows().narrow(0, 1, 3)});
  const Matrix expected = parts.host().cast<double>() * directions.transpose();
  const auto held = hold_on(at::kCPU, directions);
  EXPECT_TRUE(held->products(parts, 1).isApprox(expected, 1e-14));
  EXPECT_TRUE(held->products(HostRows(parts.host()), 1).isApprox(expected, 1e-14));
}

TEST(SumThere, AddsUpAllPartsInDouble) {
  const Tensors parts = {rows().narrow(0, 0, 1), rows().narrow(0, 1, 3) + 1e8};
  const Matrix expected = TorchRows(parts).host().cast<double>().colwise().sum();
  EXPECT_EQ(Matrix(sum_there(parts)), expected);
}

}  // namespace
}  // namespace atcav::plugin
