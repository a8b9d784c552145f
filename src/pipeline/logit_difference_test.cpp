#include "pipeline/logit_difference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/testing_model.h"
#include "pipeline/testing_run.h"

namespace atcav {
namespace {

// R: t.test(c(2, 4, 6, 8, 10), c(1, 2, 3, 4)).
TEST(DifferenceOfLogits, IsWelchs) {
  const LogitDifference found =
      difference_of_logits(Vector::LinSpaced(5, 2, 10), Vector::LinSpaced(4, 1, 4), 0.95);
  EXPECT_DOUBLE_EQ(found.difference, 3.5);
  EXPECT_NEAR(found.p, 0.0691, 1e-4);
  EXPECT_LT(found.interval.low, 0);
  EXPECT_NEAR(found.random_sd, std::sqrt(5.0 / 3), 1e-12);
  EXPECT_EQ(found.n_concept, 5);
}

// Gradients that tell the logits exactly: what d is measured in.
TEST(SpreadOfLogit, IsThatOfTheGradientsWhereTheyTellIt) {
  const Vector logits = Eigen::Vector<double, 5>(1, 2, 4, 8, 16);
  const stats::RandomSpread spread = spread_of_logit(logits, logits);
  EXPECT_EQ(spread.count, 5);
  EXPECT_NEAR(spread.variance, 37.2, 1e-12);  // R: var(c(1, 2, 4, 8, 16))
  const Eigen::ArrayXd u = (logits.array() - 6.2) / std::sqrt(37.2 * 4 / 5);
  EXPECT_NEAR(spread.skewness, u.cube().mean(), 1e-12);
  EXPECT_NEAR(spread.kurtosis, u.square().square().mean(), 1e-12);
  EXPECT_EQ(spread_of_logit(logits, Vector()).skewness, 0);
}

using LogitsOfARun = TestingRun;

TEST_F(LogitsOfARun, AreTheNetworksOwn) {
  config_.classes[0].target.minus = 1;
  config_.batch = 7;
  const RunResult result = run(config_, {}, {std::make_shared<model::TestingModel>()});
  model::TestingModel network;
  const auto mean_logit = [&](const std::string& set) {
    const MatrixF x = data::read_npy(data::open_file(folder_.file(set + ".npy"))).read_float();
    const RowsPtr rows = network.logits(model::TestingModel::batch(x));
    const auto logits = rows->host();
    return (logits.col(0) - logits.col(1)).cast<double>().mean();
  };
  for (const Result& one : result.results) {
    ASSERT_TRUE(one.logits.has_value());
    if (one.class_name == "zebra") {
      EXPECT_NEAR(one.logits->difference, mean_logit(one.concept_name) - mean_logit("random"), 1e-5);
    }
    EXPECT_EQ(one.logits->n_random, 50);
    ASSERT_TRUE(one.effect.standardised.has_value());
    EXPECT_NEAR(one.effect.standardised->value, one.effect.logits / one.logits->random_sd, 1e-9);
  }
}

}  // namespace
}  // namespace atcav
