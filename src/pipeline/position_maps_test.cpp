#include "pipeline/position_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "atcav/random.h"
#include "data/array/npy.h"
#include "model/testing_model.h"
#include "pipeline/testing_run.h"

namespace atcav {
namespace {

using model::Pool;
using model::TestingModel;
using testing::DoubleEq;
using testing::ElementsAre;

model::Layer layer(std::vector<Index> shape, bool channels_first) {
  model::Layer layer;
  layer.shape = std::move(shape);
  layer.size = std::accumulate(layer.shape.begin(), layer.shape.end(), Index{1}, std::multiplies<>());
  layer.channels_first = channels_first;
  layer.pooled_size = layer.shape.size() == 1 ? layer.size
                      : channels_first        ? layer.shape.front()
                                              : layer.shape.back();
  return layer;
}

TEST(PositionLayout, IsFoundInEitherOrder) {
  const auto first = position_layout(layer({32, 6, 7}, true), Pool::kNone);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->channels, 32);
  EXPECT_EQ(first->height, 6);
  EXPECT_EQ(first->width, 7);
  const auto last = position_layout(layer({6, 7, 32}, false), Pool::kNone);
  EXPECT_EQ(last->channels, 32);
  EXPECT_EQ(last->height, 6);
  EXPECT_EQ(last->width, 7);
  const auto tokens = position_layout(layer({197, 768}, false), Pool::kNone);
  EXPECT_TRUE(tokens->tokens);
  EXPECT_EQ(tokens->width, 197);
  EXPECT_EQ(tokens->channels, 768);
}

TEST(PositionLayout, IsNoneWithoutPositions) {
  EXPECT_FALSE(position_layout(layer({32}, true), Pool::kNone));
  EXPECT_FALSE(position_layout(layer({32, 1, 1}, true), Pool::kNone));
  EXPECT_FALSE(position_layout(layer({32, 6, 7}, true), Pool::kMean)) << "pooled";
  EXPECT_FALSE(position_layout(layer({32, 4, 6, 7}, true), Pool::kNone)) << "volumes";
  EXPECT_FALSE(position_layout(layer({600, 8}, false), Pool::kNone)) << "too many tokens for a page";
}

TEST(PositionProducts, SumOverChannels) {
  Eigen::RowVectorXf row(4);
  row << 1, 2, 3, 4;
  Eigen::VectorXf direction(4);
  direction << 10, 100, 1, 1000;
  const PositionLayout first{1, 2, 2, true, true};  // channel 0: 1 2, channel 1: 3 4
  EXPECT_THAT(position_products(first, row, direction), ElementsAre(DoubleEq(13), DoubleEq(4200)));
  const PositionLayout last{1, 2, 2, false, true};  // position 0: 1 2, position 1: 3 4
  EXPECT_THAT(position_products(last, row, direction), ElementsAre(DoubleEq(210), DoubleEq(4003)));
  EXPECT_THROW(position_products({2, 2, 2, true, false}, row, direction), std::invalid_argument);
}

// 15 × 30 positions: cells of 3 × 3, since ⌈30/14⌉ = 3.
TEST(PositionProducts, ManyPositionsShareCells) {
  const PositionLayout layout{15, 30, 2, true, false};
  const Eigen::RowVectorXf row = Eigen::RowVectorXf::Ones(900);
  Eigen::VectorXf direction = Eigen::VectorXf::Zero(900);
  direction(450 + 4 * 30 + 29) = 7;  // channel 1, row 4, column 29
  const std::vector<double> cells = position_products(layout, row, direction);
  ASSERT_EQ(cells.size(), 50U);  // 5 × 10
  EXPECT_EQ(cells[19], 7) << "row 1, column 9";
  EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), 0.0), 7);
}

// The closed-form test network has 4 channels × 2 positions at "hidden".
class PositionMapsTest : public TestingRun {
 protected:
  PositionMapsTest() {
    config_.relative = {{"striped", "dotted"}};
    config_.options.permutations = 19;
  }
  RunResult run_it() { return run(config_, {}, {std::make_shared<TestingModel>()}); }
};

TEST_F(PositionMapsTest, AddUpToTheSensitivityWithEveryMethod) {
  using stats::CavMethod;
  for (const auto method : {CavMethod::kPattern, CavMethod::kFast, CavMethod::kRidge, CavMethod::kLogistic}) {
    config_.options.cav.method = method;
    for (const Result& result : run_it().results) {
      const bool fitted = !stats::is_mean_difference(method);
      const bool versus = result.concept_name == "striped vs dotted";
      ASSERT_EQ(result.maps.has_value(), result.layer == "hidden" && !(fitted && versus))
          << result.concept_name;
      if (!result.maps) continue;
      EXPECT_EQ(result.maps->inputs.size(), 12U);
      for (const PositionMap& map : result.maps->inputs) {
        const double s = result.sensitivities[static_cast<std::size_t>(map.input)];
        EXPECT_NEAR(map.sensitivity[0] + map.sensitivity[1], s, 1e-5 * result.gamma)
            << result.concept_name << " " << result.class_name;
      }
    }
  }
}

// hidden = x·A: activations of an input, times the difference of the sets' means, by hand.
TEST_F(PositionMapsTest, ActivationsAreThoseOfTheFormula) {
  const RunResult found = run_it();
  TestingModel formula;
  const auto hidden = [&](const std::string& name) {
    return Matrix((data::read_npy(data::open_file(folder_.file(name + ".npy"))).read_float() * formula.a)
                      .cast<double>());
  };
  const Eigen::RowVectorXd direction = hidden("striped").colwise().mean() - hidden("random").colwise().mean();
  const Result& result = found.results.front();
  const Matrix rows = hidden("zebra");
  for (const PositionMap& map : result.maps->inputs) {
    for (Index p = 0; p < 2; ++p) {
      double expected = 0;
      for (Index c = 0; c < 4; ++c) expected += rows(map.input, 2 * c + p) * direction(2 * c + p);
      EXPECT_NEAR(map.activation[static_cast<std::size_t>(p)], expected, 1e-5);
    }
  }
}

TEST_F(PositionMapsTest, ComeFromTheCacheToo) {
  config_.cache = folder_.file("cache");
  const RunResult first = run_it();
  const RunResult second = run_it();
  EXPECT_EQ(second.examples_run, 0);
  EXPECT_EQ(second.results.front().maps->inputs.front().activation,
            first.results.front().maps->inputs.front().activation);
}

}  // namespace
}  // namespace atcav
