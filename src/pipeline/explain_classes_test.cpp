#include "pipeline/explain_classes.h"

#include <gtest/gtest.h>

#include <vector>

#include "model/testing_model.h"
#include "pipeline/testing_run.h"
#include "stats/explained.h"

namespace atcav {
namespace {

class ExplainClassesTest : public TestingRun {
 protected:
  ExplainClassesTest() {
    config_.random = write("many", 5, 120, 0);
    config_.options.permutations = 19;
    config_.options.bootstrap = 20;
  }
  RunResult run_it() { return run(config_, {}, {std::make_shared<model::TestingModel>()}); }
  MatrixF rows(const std::string& name) const {
    return data::read_npy(data::open_file(folder_.file(name + ".npy"))).read_float();
  }
};

// What the run says of a layer is what the formula says of its activations and logits.
TEST_F(ExplainClassesTest, EqualsTheFormulaOnActivations) {
  const RunResult found = run_it();
  ASSERT_EQ(found.explained.size(), 4U);
  model::TestingModel formula;
  const std::vector<std::size_t> both = {0, 1};
  const auto at = [&](const std::string& name, std::size_t layer) {
    return Matrix(formula.activations(both, model::TestingModel::batch(rows(name)), config_.pool)[layer]
                      ->host()
                      .cast<double>());
  };
  const Matrix logits = at("many", 1) * formula.b.cast<double>();
  for (std::size_t i = 0; i < 4; ++i) {
    const Explained& one = found.explained[i];
    const std::size_t layer = i / 2;
    EXPECT_EQ(one.layer, config_.layers[layer]);
    EXPECT_EQ(one.class_name, i % 2 == 0 ? "zebra" : "horse");
    EXPECT_EQ(one.concepts, (std::vector<std::string>{"striped", "dotted"}));
    EXPECT_EQ(one.inputs, 120);
    const Matrix random = at("many", layer);
    Matrix span(random.cols(), 2);
    for (Index c = 0; c < 2; ++c) {
      span.col(c) =
          (at(one.concepts[static_cast<std::size_t>(c)], layer).colwise().mean() - random.colwise().mean())
              .transpose();
    }
    const Matrix centred = random.rowwise() - random.colwise().mean();
    const stats::SpanDesign design(centred * span, centred * centred.transpose(), {},
                                   {.key = key_word(one.layer)});
    const stats::SpanShare wanted = *design.explain(logits.col(i % 2 == 0 ? 0 : 2));
    // The network computes in float.
    EXPECT_NEAR(one.share, wanted.share, 1e-4);
    EXPECT_NEAR(one.interval.low, wanted.interval.low, 1e-3);
    EXPECT_NEAR(one.random.mean, wanted.random_mean, 0.1);  // the same law, other draws: sd 0.2, 100 each
    EXPECT_NEAR(one.ceiling, wanted.ceiling, 1e-2);
    ASSERT_EQ(one.shapley.size(), 2U);
    EXPECT_EQ(one.shapley[1].concept_name, "dotted");
    EXPECT_NEAR(one.shapley[0].share, wanted.shapley[0], 1e-4);
  }
  // "active" is before the last matrix: everything there is linear.
  EXPECT_GT(found.explained[2].ceiling, 0.99);
}

TEST_F(ExplainClassesTest, FitsHaveTheirOwnDirectionsAndFewInputsNone) {
  const double pattern = run_it().explained[0].share;
  config_.options.cav.method = stats::CavMethod::kRidge;
  EXPECT_NE(run_it().explained[0].share, pattern);
  config_.random = write("few", 5, 20, 0);
  EXPECT_TRUE(run_it().explained.empty());
}

}  // namespace
}  // namespace atcav
