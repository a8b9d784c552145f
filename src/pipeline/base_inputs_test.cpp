#include "pipeline/base_inputs.h"

#include <gtest/gtest.h>

#include "model/testing_model.h"
#include "pipeline/testing_run.h"

namespace atcav {
namespace {

class BaseTest : public TestingRun {
 protected:
  BaseTest() {
    config_.batch = 4;
    session_ = open_session(config_, network_);
    sets_.push_back(open_set(session_, {Role::Kind::kClass, "zebra"}, config_.classes[0].path, nullptr));
    sets_.push_back(open_set(session_, Role::Kind::kRandom, config_.random, nullptr));
  }
  std::shared_ptr<model::TestingModel> network_ = std::make_shared<model::TestingModel>();
  Session session_;
  std::vector<OpenedSet> sets_;
};

TEST_F(BaseTest, InputsGoThroughTheNetworkOnceForAllLayers) {
  const InterventionBases bases{sets_, 10, {}, {{{0}, {}, false}}};
  Base base(session_, bases, 0);
  EXPECT_EQ(base.inputs(), 10);
  for (const std::size_t layer : {0, 1, 0}) EXPECT_EQ(base.blocks(layer).size(), 3U);
  EXPECT_EQ(network_->examples_run, 10);
  EXPECT_EQ(base.askable(), std::vector<std::size_t>{0});
}

TEST_F(BaseTest, AnswersAreTheNetworksWithItsGradients) {
  const ClassTarget difference{{0}, 2, false};
  const InterventionBases bases{sets_, 10, {}, {difference}};
  Base base(session_, bases, 1);
  const Base::Block& block = base.blocks(1).front();
  const MatrixF step = MatrixF::Constant(1, model::TestingModel::kHidden, 0.1F);
  const Base::Answer answer = base.run(block, 1, {MatrixF::Ones(1, 1), step}, {0});
  const MatrixF expected = (base.activations(block, 1).host().rowwise() + step.row(0)) * network_->b;
  EXPECT_TRUE(answer.outputs.leftCols(3).isApprox(expected, 1e-5F));
  EXPECT_TRUE(answer.outputs.col(3).isApprox(expected.col(0) - expected.col(2), 1e-4F));
  const MatrixF gradient = answer.gradients[0].through([](const Rows& rows) { return MatrixF(rows.host()); });
  EXPECT_TRUE(gradient.row(2).isApprox((network_->b.col(0) - network_->b.col(2)).transpose(), 1e-5F));
}

}  // namespace
}  // namespace atcav
