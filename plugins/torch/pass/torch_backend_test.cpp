#include "plugins/torch/pass/torch_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "pass/pass_builder.h"
#include "pass/testing_sources.h"
#include "plugins/torch/pass/rows.h"

// The device's pass against span's own, both on the CPU here; bench/gpu.sh compares them on a GPU.
namespace atcav::plugin {
namespace {

using pass::normal_rows;
using pass::Pass;
using pass::PassOptions;
using testing::HasSubstr;
using testing::ThrowsMessage;

RowsPtr torch_rows(const MatrixF& values) {
  const at::Tensor here = at::from_blob(const_cast<float*>(values.data()), {values.rows(), values.cols()});
  return std::make_shared<TorchRows>(Tensors{here.clone()});
}

pass::StartBackend with_torch(const TorchBackendLimits& limits = {}) {
  return [limits](const pass::BackendOptions& options, const Rows& first) {
    return start_torch_backend(first.as<Tensors>()->front(), options, limits);
  };
}

class TorchBackendTest : public testing::Test {
 protected:
  template <typename Wrap>
  Pass pass_of(const PassOptions& options, const pass::StartBackend& start, Wrap wrap) const {
    pass::PassBuilder builder(gradients, {{"random", random.rows()}, {"concept 'a'", positive.rows()}},
                              options, start);
    for (const auto& [set, rows] : {std::pair(Index{0}, &random), std::pair(Index{1}, &positive)}) {
      for (Index first = 0; first < rows->rows(); first += kBlock) {
        const MatrixF block = rows->middleRows(first, std::min(kBlock, rows->rows() - first));
        builder.add(set, *wrap(block, first));
      }
    }
    return builder.finish();
  }
  Pass on_device(const PassOptions& options, const TorchBackendLimits& limits = {}) const {
    return pass_of(options, with_torch(limits),
                   [](const MatrixF& block, Index) { return torch_rows(block); });
  }
  Pass on_host(const PassOptions& options) const {
    return pass_of(options, {},
                   [](const MatrixF& block, Index) { return std::make_shared<HostRows>(block); });
  }

  static constexpr Index kBlock = 77;
  const Index d = 2048 * 33 + 117;  // more than one group of pieces, and a rest
  const MatrixF gradients = normal_rows(1, 7, d);
  MatrixF random = normal_rows(2, 150, d, 10);
  const MatrixF positive = normal_rows(3, 83, d, 10.01);
};

double largest_difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST_F(TorchBackendTest, GivesWhatTheHostGives) {
  const PassOptions options{.exact_below = 0};
  const Pass host = on_host({.exact_below = 1e15});
  const Pass device = on_device(options);
  EXPECT_FALSE(device.exact);
  EXPECT_EQ(device.centre, host.centre);
  EXPECT_LT(largest_difference(device.centre_projection, host.centre_projection),
            1e-12 * host.centre_projection.cwiseAbs().maxCoeff());
  for (std::size_t s = 0; s < 2; ++s) {
    const Matrix& exact = host.sets[s].projections.values;
    EXPECT_LT(largest_difference(device.sets[s].projections.values, exact),
              1e-6 * exact.cwiseAbs().maxCoeff());
    EXPECT_EQ(device.sets[s].projections.weights, host.sets[s].projections.weights);
    EXPECT_LT(largest_difference(device.sets[s].squares, host.sets[s].squares),
              1e-5 * host.sets[s].squares.maxCoeff());
    EXPECT_LT(largest_difference(device.sets[s].held_out.group_sums.total(),
                                 host.sets[s].held_out.group_sums.total()),
              1e-9);
  }
}

TEST_F(TorchBackendTest, ScoresHeldOutRowsWhereTheyLie) {
  const Pass host = on_host({.exact_below = 1e15});
  const Pass device = on_device({.exact_below = 0});
  const Matrix directions = normal_rows(5, 5, d).cast<double>();
  for (const Index set : {0, 1}) {
    EXPECT_LT(largest_difference(device.backend->scored_products(set, directions),
                                 host.backend->scored_products(set, directions)),
              1e-9);
  }
}

TEST_F(TorchBackendTest, GramMatrixAndRowsAreThoseOfTheHost) {
  const Pass host = on_host({.gram = true, .exact_below = 1e15});
  for (const TorchBackendLimits& limits :
       {TorchBackendLimits{}, TorchBackendLimits{.gradient_bytes = {}, .row_bytes = 0}}) {
    const Pass device = on_device({.gram = true, .exact_below = 0}, limits);
    ASSERT_TRUE(device.gram);
    EXPECT_LT(largest_difference(*device.gram, *host.gram), 1e-6 * host.gram->cwiseAbs().maxCoeff());
    EXPECT_EQ(*device.gram, device.gram->transpose());
    MatrixF rows(3, d);
    device.backend->read_rows(1, 80, rows);
    EXPECT_EQ(rows, positive.bottomRows(3));
  }
}

void expect_same_bits(const Pass& a, const Pass& b) {
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(a.sets[s].projections.values, b.sets[s].projections.values);
    EXPECT_EQ(a.sets[s].held_out.group_sums.total(), b.sets[s].held_out.group_sums.total());
  }
}

TEST_F(TorchBackendTest, TwoPassesGiveTheSameBits) {
  expect_same_bits(on_device({.exact_below = 0}), on_device({.exact_below = 0}));
}

TEST_F(TorchBackendTest, GradientsThatFindNoRoomAreCopiedOverForEachBlock) {
  expect_same_bits(on_device({.exact_below = 0}),
                   on_device({.exact_below = 0}, {.gradient_bytes = 0, .row_bytes = {}}));
}

// Pieces are added up in another order: rounding of doubles.
TEST_F(TorchBackendTest, FewPiecesAtOnceGiveTheSame) {
  const Pass all = on_device({.exact_below = 0});
  const Pass few = on_device({.exact_below = 0}, {.gradient_bytes = {}, .row_bytes = {}, .products = 3000});
  const Matrix& want = all.sets[0].projections.values;
  EXPECT_LT(largest_difference(few.sets[0].projections.values, want), 1e-7 * want.cwiseAbs().maxCoeff());
}

TEST_F(TorchBackendTest, MultipliesGradientsWithinGroups) {
  for (const std::int64_t bytes : {std::int64_t{1} << 40, std::int64_t{0}}) {
    const PassOptions options{.exact_below = 0, .input_groups = {{0, 3}, {3, 7}}};
    const std::vector<Matrix> found =
        on_device(options, {.gradient_bytes = bytes, .row_bytes = {}}).backend->gradient_products();
    ASSERT_EQ(found.size(), 2U);
    const Matrix rows = gradients.middleRows(3, 4).cast<double>();
    const Matrix want = rows * rows.transpose();
    EXPECT_LT(largest_difference(found[1], want), 1e-6 * want.cwiseAbs().maxCoeff());
    EXPECT_EQ(found[0].rows(), 3);
  }
  EXPECT_TRUE(on_host({.exact_below = 0, .input_groups = {{0, 7}}}).backend->gradient_products().empty());
}

TEST_F(TorchBackendTest, RowsFromElsewhereMayFollow) {
  const auto wrap = [](const MatrixF& block, Index first) -> RowsPtr {
    return first > 0 ? std::make_shared<HostRows>(block) : torch_rows(block);
  };
  const Pass mixed = pass_of({.exact_below = 0}, with_torch(), wrap);
  expect_same_bits(mixed, on_device({.exact_below = 0}));
}

TEST_F(TorchBackendTest, MomentsAreThoseOfTheHost) {
  const Pass host = on_host({.moments_only = true, .exact_below = 1e15});
  const Pass device = on_device({.moments_only = true, .exact_below = 0});
  for (std::size_t s = 0; s < 2; ++s) {
    const pass::Projections& exact = host.sets[s].projections;
    const pass::Projections& found = device.sets[s].projections;
    EXPECT_EQ(found.weights, exact.weights);
    EXPECT_LT(largest_difference(found.values, exact.values), 1e-6 * exact.values.cwiseAbs().maxCoeff());
    EXPECT_LT(largest_difference(*found.covariance, *exact.covariance),
              1e-5 * exact.covariance->cwiseAbs().maxCoeff());
  }
}

TEST_F(TorchBackendTest, AValueThatIsNotFiniteIsFoundWithItsRow) {
  random(131, 5) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(
      [&] { on_device({.exact_below = 0}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("random has a value that is not finite in row 131")));
}

// Rows 70 … 119 are somebody else's, and so is the centre.
TEST_F(TorchBackendTest, RowsMayBeLeftOut) {
  const auto share = [&](PassOptions options, const pass::StartBackend& start) {
    options.centre = Eigen::VectorXf::Constant(d, 9.5F);
    pass::PassBuilder builder(gradients, {{"random", 150}}, options, start);
    builder.add(0, *torch_rows(random.topRows(70)));
    builder.continue_at(0, 120);
    builder.add(0, *torch_rows(random.bottomRows(30)));
    return builder.finish_share();
  };
  const Pass host = share({.exact_below = 1e15}, {});
  const Pass device = share({.exact_below = 0}, with_torch());
  EXPECT_EQ(device.centre, host.centre);
  const Matrix& exact = host.sets[0].projections.values;
  EXPECT_TRUE(exact.middleCols(70, 50).isZero(0));
  EXPECT_LT(largest_difference(device.sets[0].projections.values, exact), 1e-6 * exact.cwiseAbs().maxCoeff());
  EXPECT_LT(largest_difference(device.sets[0].held_out.group_sums.total(),
                               host.sets[0].held_out.group_sums.total()),
            1e-9);
}

}  // namespace
}  // namespace atcav::plugin
