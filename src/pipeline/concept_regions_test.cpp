#include "pipeline/concept_regions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/testing_model.h"
#include "pipeline/testing_run.h"

namespace atcav {
namespace {

// The concept lies around random examples, in few columns and in many.
MatrixF around(Index rows, Index columns, std::uint64_t seed) {
  Stream stream(seed);
  Matrix values = 0.3 * stream.normal_matrix(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    const double angle = 2 * std::numbers::pi * stream.uniform();
    values(i, 0) = 6 * std::cos(angle);
    values(i, 1) = 6 * std::sin(angle);
  }
  return values.cast<float>();
}

class ConceptRegionsTest : public TestingRun {
 protected:
  ConceptRegionsTest() {
    config_.options.permutations = 19;
    config_.options.bootstrap = 20;
    config_.options.regions = true;
    config_.no_intervene = true;
  }
  RunResult run_it() { return run(config_, {}, {std::make_shared<model::TestingModel>()}); }
};

TEST(ConceptRegions, ARingIsARegionAndNoDirection) {
  for (const Index columns : {5, 400}) {
    const MatrixF positive = around(80, columns, 1);
    Stream stream(2);
    MatrixF random = (0.3 * stream.normal_matrix(120, columns)).cast<float>();
    random.leftCols(2) *= 3;
    const MatrixF gradients = stream.normal_matrix(15, columns).cast<float>();
    Options options;
    options.permutations = 19;
    options.bootstrap = 20;
    options.regions = true;
    for (const stats::CavMethod method : {stats::CavMethod::kPattern, stats::CavMethod::kRidge}) {
      options.cav.method = method;
      const RunResult found = score({{"ring", positive}}, random, {{"zebra", gradients}}, options);
      ASSERT_TRUE(found.results[0].region.has_value());
      const Region& region = *found.results[0].region;
      EXPECT_GT(region.auc, 0.97) << columns;
      EXPECT_LT(found.results[0].examples->accuracy.auc, 0.75);
      EXPECT_TRUE(region.tells_better());
      EXPECT_NEAR(region.gain, region.held_out - found.results[0].examples->accuracy.held_out, 1e-12)
          << "all rows are scored by both";
      EXPECT_FALSE(region.inputs.has_value()) << "arrays have no activations of the class";
    }
  }
}

// Beside it nothing changes but for what the pass keeps.
TEST_F(ConceptRegionsTest, NetworksGiveActivationsOfTheClass) {
  const RunResult with = run_it();
  ASSERT_EQ(with.results.size(), 8U);
  model::TestingModel formula;
  for (const Result& one : with.results) {
    ASSERT_TRUE(one.region && one.region->inputs);
    const RegionAtInputs& inputs = *one.region->inputs;
    EXPECT_EQ(std::ssize(inputs.sensitivities), one.n_class);
    EXPECT_GE(inputs.bonferroni, inputs.p);
    EXPECT_LE(inputs.interval.low, inputs.logits);
    double mean = 0;
    for (const double value : inputs.sensitivities) mean += value / static_cast<double>(one.n_class);
    EXPECT_NEAR(inputs.logits, mean, 1e-12);
  }
  config_.options.regions = false;
  const RunResult without = run_it();
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_FALSE(without.results[i].region.has_value());
    EXPECT_NEAR(without.results[i].effect.logits, with.results[i].effect.logits, 1e-6);
  }
}

TEST_F(ConceptRegionsTest, NeedRows) {
  config_.options.moments_only = true;
  EXPECT_THROW(run_it(), std::invalid_argument);
}

}  // namespace
}  // namespace atcav
