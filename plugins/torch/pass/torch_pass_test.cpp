#include "plugins/torch/pass/torch_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fit/held_out.h"
#include "pass/pass_builder.h"
#include "pass/testing_sources.h"
#include "plugins/torch/pass/rows.h"

// The device's pass against span's own, both on the CPU here; bench/gpu.sh compares them on a GPU.
namespace atcav::plugin {
namespace {

using span::normal_rows;
using span::Pass;
using span::PassOptions;
using testing::HasSubstr;
using testing::ThrowsMessage;

class DeviceRows : public TorchRows {
 public:
  DeviceRows(const MatrixF& values, TorchPassLimits limits)
      : TorchRows({at::from_blob(const_cast<float*>(values.data()), {values.rows(), values.cols()}).clone()}),
        limits_(limits) {}
  std::unique_ptr<DevicePass> start_pass(const DevicePassOptions& options) const override {
    return start_torch_pass(parts().front(), options, limits_);
  }

 private:
  TorchPassLimits limits_;
};

class TorchPassTest : public testing::Test {
 protected:
  template <typename Wrap>
  Pass pass_of(const PassOptions& options, Wrap wrap) const {
    span::PassBuilder builder(gradients, {{"random", random.rows()}, {"concept 'a'", positive.rows()}},
                              options);
    for (const auto& [set, rows] : {std::pair(Index{0}, &random), std::pair(Index{1}, &positive)}) {
      for (Index first = 0; first < rows->rows(); first += kBlock) {
        const MatrixF block = rows->middleRows(first, std::min(kBlock, rows->rows() - first));
        builder.add(set, *wrap(block, first));
      }
    }
    return builder.finish();
  }
  Pass on_device(const PassOptions& options, const TorchPassLimits& limits = {}) const {
    return pass_of(options,
                   [&](const MatrixF& block, Index) { return std::make_shared<DeviceRows>(block, limits); });
  }
  Pass on_host(const PassOptions& options) const {
    return pass_of(options, [](const MatrixF& block, Index) { return std::make_shared<HostRows>(block); });
  }

  static constexpr Index kBlock = 77;
  const Index d = 2048 * 33 + 117;  // more than one group of pieces, and a rest
  const MatrixF gradients = normal_rows(1, 7, d);
  MatrixF random = normal_rows(2, 150, d, 10);
  const MatrixF positive = normal_rows(3, 83, d, 10.01);
};

double largest_difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

MatrixF scored_rows(const Pass& pass, std::size_t set) {
  MatrixF rows(static_cast<Index>(pass.sets[set].held_out.rows.size()), pass.dimension);
  pass.sets[set].held_out.values->read(0, rows);
  return rows;
}

TEST_F(TorchPassTest, GivesWhatTheHostGives) {
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
    EXPECT_LT(largest_difference(device.sets[s].held_out.fold_sums.total(),
                                 host.sets[s].held_out.fold_sums.total()),
              1e-9);
    EXPECT_EQ(scored_rows(device, s), scored_rows(host, s));
  }
}

TEST_F(TorchPassTest, ScoresHeldOutRowsWhereTheyLie) {
  const Pass host = on_host({.exact_below = 1e15});
  const Pass device = on_device({.exact_below = 0});
  const Matrix directions = normal_rows(5, 5, d).cast<double>();
  ASSERT_FALSE(host.sets[0].held_out.values->fold_products(directions));
  for (std::size_t s = 0; s < 2; ++s) {
    const span::HeldOut& held_out = device.sets[s].held_out;
    const auto found = held_out.values->fold_products(directions);
    ASSERT_TRUE(found);
    const Matrix centred = scored_rows(host, s).cast<double>().rowwise() - host.centre.transpose();
    for (Index i = 0; i < found->size(); ++i) {
      const Index fold = held_out.rows[static_cast<std::size_t>(i)] % 5;
      EXPECT_NEAR((*found)(i), centred.row(i).dot(directions.row(fold)), 1e-9);
    }
  }
  const auto there = span::held_out_scores(device, 1, 0, 2);
  const auto here = span::held_out_scores(host, 1, 0, 2);
  EXPECT_LT(largest_difference(there.concept_rows.scores, here.concept_rows.scores), 1e-6);
  EXPECT_EQ(there.concept_rows.folds, here.concept_rows.folds);
}

TEST_F(TorchPassTest, GramMatrixAndRowsAreThoseOfTheHost) {
  const Pass host = on_host({.gram = true, .exact_below = 1e15});
  for (const TorchPassLimits& limits :
       {TorchPassLimits{}, TorchPassLimits{.gradient_bytes = {}, .row_bytes = 0}}) {
    const Pass device = on_device({.gram = true, .exact_below = 0}, limits);
    ASSERT_TRUE(device.gram);
    EXPECT_LT(largest_difference(*device.gram, *host.gram), 1e-6 * host.gram->cwiseAbs().maxCoeff());
    EXPECT_EQ(*device.gram, device.gram->transpose());
    ASSERT_EQ(device.rows.size(), 2U);
    MatrixF rows(3, d);
    device.rows[1]->read(80, rows);
    EXPECT_EQ(rows, positive.bottomRows(3));
  }
}

void expect_same_bits(const Pass& a, const Pass& b) {
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(a.sets[s].projections.values, b.sets[s].projections.values);
    EXPECT_EQ(a.sets[s].held_out.fold_sums.total(), b.sets[s].held_out.fold_sums.total());
  }
}

TEST_F(TorchPassTest, TwoPassesGiveTheSameBits) {
  expect_same_bits(on_device({.exact_below = 0}), on_device({.exact_below = 0}));
}

TEST_F(TorchPassTest, GradientsThatFindNoRoomAreCopiedOverForEachBlock) {
  expect_same_bits(on_device({.exact_below = 0}),
                   on_device({.exact_below = 0}, {.gradient_bytes = 0, .row_bytes = {}}));
}

TEST_F(TorchPassTest, RowsFromElsewhereMayFollow) {
  const Pass mixed = pass_of({.exact_below = 0}, [](const MatrixF& block, Index first) -> RowsPtr {
    if (first > 0) return std::make_shared<HostRows>(block);
    return std::make_shared<DeviceRows>(block, TorchPassLimits());
  });
  expect_same_bits(mixed, on_device({.exact_below = 0}));
}

TEST_F(TorchPassTest, MomentsAreThoseOfTheHost) {
  const Pass host = on_host({.moments_only = true, .exact_below = 1e15});
  const Pass device = on_device({.moments_only = true, .exact_below = 0});
  for (std::size_t s = 0; s < 2; ++s) {
    const span::Projections& exact = host.sets[s].projections;
    const span::Projections& found = device.sets[s].projections;
    EXPECT_EQ(found.weights, exact.weights);
    EXPECT_LT(largest_difference(found.values, exact.values), 1e-6 * exact.values.cwiseAbs().maxCoeff());
    EXPECT_LT(largest_difference(*found.covariance, *exact.covariance),
              1e-5 * exact.covariance->cwiseAbs().maxCoeff());
  }
}

TEST_F(TorchPassTest, AValueThatIsNotFiniteIsFoundWithItsRow) {
  random(131, 5) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(
      [&] { on_device({.exact_below = 0}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("random has a value that is not finite in row 131")));
}

TEST_F(TorchPassTest, RowsOnTheCpuStartNone) {
  const TorchRows rows({at::ones({3, 4})});
  EXPECT_EQ(rows.start_pass({.gradients = MatrixF::Ones(1, 4), .rows = {3}, .scored = {{0}}}), nullptr);
}

}  // namespace
}  // namespace atcav::plugin
