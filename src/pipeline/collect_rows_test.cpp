#include "pipeline/collect_rows.h"

#include <array>

#include "data/array/open_array.h"
#include "pipeline/opened_run.h"
#include "pipeline/testing_run.h"

namespace atcav {
namespace {

class CollectRows : public TestingRun {
 protected:
  CollectRows() {
    config_.batch = 7;
    config_.options.threads = 1;
    given_.network = std::make_shared<model::TestingModel>();
  }
  OpenedRun opened() const { return open_run(config_, {}, given_); }
  // What a set's examples are at both layers.
  static std::array<Matrix, 2> activations(const std::string& path) {
    const model::TestingModel network;
    const Matrix hidden = data::open_array(path).read_float().cast<double>() * network.a.cast<double>();
    return {hidden, hidden.array().tanh()};
  }
  static Vector gradients_of(OpenedRun& run) {
    return collect_gradients(
        *run.session, run.classes, run.targets, [] {}, run.options, run.layers);
  }

  Given given_;
};

TEST_F(CollectRows, GradientsAreThoseOfTheClosedForm) {
  OpenedRun run = opened();
  const Vector hits = gradients_of(run);
  const model::TestingModel network;
  Index row = 0;
  for (const ClassSet& set : config_.classes) {
    const Matrix active = activations(set.path)[1];
    const Vector slope = network.b.col(set.target.logit).cast<double>();
    const Matrix logits = active * network.b.cast<double>();
    for (Index i = 0; i < active.rows(); ++i, ++row) {
      const Vector hidden = (1 - active.row(i).array().square()).matrix().transpose().cwiseProduct(slope);
      EXPECT_LT((run.layers[0].gradients.row(row).cast<double>() - hidden.transpose()).norm(), 1e-5);
      EXPECT_LT((run.layers[1].gradients.row(row).cast<double>() - slope.transpose()).norm(), 1e-5);
      EXPECT_EQ(hits(row), logits(i, set.target.logit) == logits.row(i).maxCoeff() ? 1 : 0);
    }
  }
  EXPECT_EQ(row, run.layers[0].gradients.rows());
  note_top_shares(*run.session, run.classes, hits, run.layers);
  EXPECT_EQ(run.layers[1].names.classes[0].top_share, hits.head(20).mean());
  EXPECT_EQ(run.layers[1].names.classes[1].top_share, hits.tail(13).mean());
}

TEST_F(CollectRows, PassesHaveTheProductsOfAllSets) {
  OpenedRun run = opened();
  gradients_of(run);
  collect_passes(
      *run.session, run.folders(), run.targets, [] {}, run.options, run.layers);
  const std::array paths = {config_.random, config_.concepts[0].path, config_.concepts[1].path};
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const pass::Pass& pass = run.layers[layer].pass.value();
    ASSERT_EQ(pass.sets.size(), 3U);
    for (std::size_t s = 0; s < 3; ++s) {
      const Matrix rows = activations(paths.at(s)).at(layer).rowwise() - pass.centre.transpose();
      const Matrix expected = run.layers[layer].gradients.cast<double>() * rows.transpose();
      EXPECT_LT((pass.sets[s].projections.values - expected).cwiseAbs().maxCoeff(), 1e-4);
    }
  }
  // The logits of each class's target, beside the rows.
  const Matrix active = activations(config_.random)[1];
  const model::TestingModel network;
  const Vector zebra = active * network.b.col(0).cast<double>();
  ASSERT_TRUE(run.layers[0].logits);
  EXPECT_LT(((*run.layers[0].logits)[0].col(0) - zebra).cwiseAbs().maxCoeff(), 1e-5);
}

TEST_F(CollectRows, PartsRunEveryRowOnce) {
  OpenedRun whole = opened();
  gradients_of(whole);
  const Index rows = whole.layers[0].gradients.rows();
  std::vector<int> owners(static_cast<std::size_t>(rows));
  for (int number = 0; number < 3; ++number) {
    OpenedRun run = opened();
    run.options.share = Part{number, 3};
    gradients_of(run);
    for (const Unit& unit : gradient_units(*run.session, run.classes, run.options)) {
      if (unit.owner != number) continue;
      for (Index i = 0; i < unit.rows; ++i) {
        const Index row =
            run.layers[0].names.first_input(static_cast<std::size_t>(unit.set)) + unit.first + i;
        ++owners[static_cast<std::size_t>(row)];
        EXPECT_EQ(run.layers[0].gradients.row(row), whole.layers[0].gradients.row(row)) << "the same bytes";
      }
    }
  }
  EXPECT_EQ(owners, std::vector<int>(static_cast<std::size_t>(rows), 1));
}

TEST_F(CollectRows, ReadsOnOnceTheLastSetIsBegun) {
  OpenedRun run = opened();
  int calls = 0;
  collect_gradients(
      *run.session, run.classes, run.targets, [&] { ++calls; }, run.options, run.layers);
  EXPECT_EQ(calls, 1);
}

TEST_F(CollectRows, UnitsArePiecesOfWholeBatches) {
  OpenedRun run = opened();
  for (const Unit& unit : units_of(*run.session, run.classes, 10, run.options)) {
    const Index left = run.classes[static_cast<std::size_t>(unit.set)].rows() - unit.first;
    EXPECT_EQ(unit.first % 7, 0);
    EXPECT_EQ(unit.rows, std::min<Index>(14, left)) << "two batches of 7 hold 10 rows";
  }
}

}  // namespace
}  // namespace atcav
