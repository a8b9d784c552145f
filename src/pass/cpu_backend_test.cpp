#include "pass/cpu_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "pass/row_store.h"
#include "pass/testing_sources.h"

namespace atcav::pass {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class CpuBackendTest : public testing::Test {
 protected:
  BackendOptions options() const {
    return {.gradients = gradients,
            .sets = {{"random", 200}, {"concept", 20}},
            .scored = {{0, 1, 50, 199}, {3}},
            .folds = 2,
            .groups = 2,
            .gram = true,
            .exact = true};
  }
  Matrix centred(const std::shared_ptr<PassBackend>& backend, const MatrixF& rows) const {
    return rows.cast<double>().rowwise() - backend->centre().cast<double>().transpose();
  }

  const MatrixF gradients = normal_rows(1, 3, 40);
  MatrixF random = normal_rows(2, 200, 40, 5);
  const MatrixF positive = normal_rows(3, 20, 40, 6);
};

TEST_F(CpuBackendTest, ShortBlocksWaitForMore) {
  const auto backend = start_cpu_backend(options());
  backend->add(0, HostRows(random.topRows(30)));
  backend->add(0, HostRows(random.middleRows(30, 33)));
  EXPECT_EQ(backend->take_projections(0).cols(), 0);
  backend->add(1, HostRows(positive));
  const Matrix first = backend->take_projections(0);
  EXPECT_TRUE(
      first.isApprox(gradients.cast<double>() * centred(backend, random.topRows(63)).transpose(), 1e-12));
  EXPECT_EQ(backend->take_projections(0).cols(), 0);
  EXPECT_EQ(backend->take_projections(1).cols(), 0);
  backend->add(0, HostRows(random.middleRows(63, 64)));
  EXPECT_EQ(backend->take_projections(0).cols(), 64);
  EXPECT_EQ(backend->take_projections(1).cols(), 20);
}

// Rows 64 … 189 are somebody else's: neither sums nor scored rows nor kept rows have them.
TEST_F(CpuBackendTest, LeavesOutRowsOfOthers) {
  const auto backend = start_cpu_backend(options());
  backend->add(0, HostRows(random.topRows(64)));
  backend->continue_at(0, 190);
  backend->add(0, HostRows(random.bottomRows(10)));
  backend->continue_at(0, 200);
  const Matrix rows = centred(backend, random);
  EXPECT_EQ(backend->take_projections(0).cols(), 64);
  EXPECT_TRUE(backend->take_projections(0).isApprox(
      gradients.cast<double>() * rows.bottomRows(10).transpose(), 1e-12));
  Matrix sums = Matrix::Zero(2, 40);
  for (Index i = 0; i < 200; ++i) {
    if (i < 64 || i >= 190) sums.row(i % 2) += rows.row(i);
  }
  EXPECT_TRUE(backend->take_group_sums(0).total().isApprox(sums, 1e-12));
  Vector squares = rows.rowwise().squaredNorm();
  squares.segment(64, 126).setZero();
  EXPECT_TRUE(backend->take_squares(0).isApprox(squares, 1e-6));
  backend->end();

  const Matrix directions = normal_rows(4, 2, 40).cast<double>();
  const Vector products = backend->scored_products(0, directions);
  EXPECT_NEAR(products(2), rows.row(50).dot(directions.row(0)), 1e-12);
  EXPECT_NEAR(products(3), rows.row(199).dot(directions.row(1)), 1e-12);
  MatrixF read(3, 40);
  backend->read_rows(0, 197, read);
  EXPECT_EQ(read, random.bottomRows(3));
  backend->host_stores(0).all->write(64, random.middleRows(64, 126));
  EXPECT_TRUE(backend->gram().topLeftCorner(200, 200).isApprox(rows * rows.transpose(), 1e-12));
}

TEST_F(CpuBackendTest, TakesTheCentreItIsGiven) {
  BackendOptions given = options();
  given.centre = Eigen::VectorXf::Constant(40, 5.5F);
  const auto backend = start_cpu_backend(given);
  backend->add(0, HostRows(random));
  EXPECT_EQ(backend->centre(), *given.centre);
}

TEST_F(CpuBackendTest, NamesAValueThatIsNotFinite) {
  random(150, 7) = std::numeric_limits<float>::infinity();
  const auto backend = start_cpu_backend(options());
  backend->add(0, HostRows(random.topRows(140)));
  backend->add(0, HostRows(random.bottomRows(60)));
  EXPECT_THAT([&] { backend->continue_at(0, 200); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("random is inf at row 150, column 7")));
}

}  // namespace
}  // namespace atcav::pass
