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
  }
}

}  // namespace
}  // namespace atcav
