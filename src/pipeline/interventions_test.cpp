#include "pipeline/interventions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "atcav/random.h"
#include "atcav/run.h"
#include "data/array/npy.h"
#include "model/testing_model.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using model::Pool;
using model::TestingModel;

// Interventions at "hidden", 4 channels × 2 positions, against the formula of the network.
class InterventionsTest : public testing::Test {
 protected:
  InterventionsTest() {
    config_.layers = {"hidden"};
    config_.classes = {{"zebra", 0, write("zebra", 1, 9, 0.2)}};
    config_.concepts = {{"striped", write("striped", 3, 30, 0.4)}};
    config_.random = write("random", 5, 50, 0);
    config_.batch = 4;
    config_.intervene = 6;
  }
  std::string write(const std::string& name, std::uint64_t seed, Index rows, double shift) const {
    const MatrixF values =
        (Stream(seed).normal_matrix(rows, TestingModel::kInputs).array() + shift).matrix().cast<float>();
    data::write_npy(folder_.file(name + ".npy"), values);
    return folder_.file(name + ".npy");
  }
  Result run_it() const { return run(config_, {}, {std::make_shared<TestingModel>()}).results.front(); }
  MatrixF at_layer(const std::string& name, Pool pool) {
    const MatrixF x = data::read_npy(data::open_file(folder_.file(name + ".npy"))).read_float();
    return formula_.activations(std::array<std::size_t, 1>{0}, TestingModel::batch(x), pool)[0]->host();
  }
  // The step of four channels at two positions each, for every row.
  static Matrix placed(const MatrixF& hidden, const Eigen::RowVectorXd& w, Pool pool) {
    Matrix steps = Matrix::Zero(hidden.rows(), TestingModel::kHidden);
    for (Index i = 0; i < hidden.rows(); ++i) {
      for (Index c = 0; c < 4; ++c) {
        const bool second_is_larger = hidden(i, 2 * c + 1) > hidden(i, 2 * c);
        const bool second = pool == Pool::kMax ? second_is_larger : pool != Pool::kFirst;
        steps(i, 2 * c + (second ? 1 : 0)) = w(c);
        if (pool == Pool::kMean) steps(i, 2 * c) = w(c);
      }
    }
    return steps;
  }
  // By dose: the odd part of each of the first inputs' logits when `steps` are added at the layer.
  Matrix odd(const MatrixF& hidden, const Matrix& steps, double dose) const {
    const auto logits = [&](double sign) {
      const Matrix moved = hidden.cast<double>() + sign * dose * steps;
      return Matrix(moved.array().tanh().matrix() * formula_.b.cast<double>());
    };
    return (logits(1) - logits(-1)) / 2;
  }

  testing_support::TempFolder folder_;
  Config config_;
  TestingModel formula_;
};

TEST_F(InterventionsTest, DirectionsAreAddedWhereThePoolLooks) {
  for (const Pool pool : {Pool::kFirst, Pool::kLast, Pool::at(1), Pool::kMax, Pool::kMean}) {
    config_.pool = pool;
    const Result found = run_it();
    ASSERT_TRUE(found.intervention.has_value()) << model::pool_text(pool);
    const Eigen::RowVectorXd w = at_layer("striped", pool).cast<double>().colwise().mean() -
                                 at_layer("random", pool).cast<double>().colwise().mean();
    for (const bool on_random : {false, true}) {
      const MatrixF hidden = at_layer(on_random ? "random" : "zebra", Pool::kNone).topRows(6);
      const Matrix steps = placed(hidden, w, pool);
      const DoseResponse& response = on_random ? *found.intervention->random : found.intervention->of_class;
      for (std::size_t t = 0; t < kDoses.size(); ++t) {
        EXPECT_NEAR(response.odd[t], odd(hidden, steps, kDoses[t]).col(0).mean(), 1e-4)
            << model::pool_text(pool) << (on_random ? " on random" : " on zebra");
      }
    }
  }
}

TEST_F(InterventionsTest, DifferencesOfLogitsMoveAsTheirParts) {
  config_.classes[0].target.minus = 2;
  const Result found = run_it();
  ASSERT_TRUE(found.intervention.has_value());
  EXPECT_EQ(found.intervention->classes, 1);
  const Matrix steps = (at_layer("striped", Pool::kNone).cast<double>().colwise().mean() -
                        at_layer("random", Pool::kNone).cast<double>().colwise().mean())
                           .replicate(6, 1);
  const Matrix moved = odd(at_layer("zebra", Pool::kNone).topRows(6), steps, 1);
  const Vector difference = moved.col(0) - moved.col(2);
  const DoseResponse& response = found.intervention->of_class;
  EXPECT_NEAR(response.odd.back(), difference.mean(), 1e-4);
  EXPECT_EQ(response.rank, (std::vector<Index>{1, 1, 1}));
  const double sd = std::sqrt((difference.array() - difference.mean()).square().sum() / 5);
  EXPECT_NEAR(response.error_inputs.back(), sd / std::sqrt(6.0), 1e-3 * sd);
  EXPECT_TRUE(found.intervention->random.has_value());
}

TEST_F(InterventionsTest, ALogitOfEachInputHasNoneOnRandomInputs) {
  const std::vector<std::int64_t> labels = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  data::write_npy(folder_.file("labels.npy"), data::TensorView(labels, {9}));
  config_.classes[0].target.file = folder_.file("labels.npy");
  const Result found = run_it();
  ASSERT_TRUE(found.intervention.has_value());
  EXPECT_FALSE(found.intervention->random.has_value());
  const Matrix steps = (at_layer("striped", Pool::kNone).cast<double>().colwise().mean() -
                        at_layer("random", Pool::kNone).cast<double>().colwise().mean())
                           .replicate(6, 1);
  const Matrix moved = odd(at_layer("zebra", Pool::kNone).topRows(6), steps, 0.5);
  double sum = 0;
  for (Index i = 0; i < 6; ++i) sum += moved(i, i % 3);
  EXPECT_NEAR(found.intervention->of_class.odd[1], sum / 6, 1e-4);
}

// At "active" the network is linear, so erasing is known: Δ = -mean_j c_j (δ·B), c_j = δ·(h_j - μ)/(δ·δ).
TEST_F(InterventionsTest, ErasureAtALinearTailIsItsClosedForm) {
  config_.layers = {"active"};
  const Result found = run_it();
  ASSERT_TRUE(found.erasure.has_value());
  const auto at_active = [&](const std::string& name) {
    return Matrix(at_layer(name, Pool::kNone).cast<double>().array().tanh());
  };
  const Eigen::RowVectorXd mean = at_active("random").colwise().mean();
  const Eigen::RowVectorXd delta = at_active("striped").colwise().mean() - mean;
  const Vector shares =
      (at_active("zebra").topRows(6).rowwise() - mean) * delta.transpose() / delta.squaredNorm();
  const double slope = delta.dot(formula_.b.col(0).cast<double>());
  EXPECT_NEAR(found.erasure->change, -shares.mean() * slope, 1e-6);
  EXPECT_NEAR(found.erasure->share.mean, shares.mean(), 1e-6);
  EXPECT_EQ(found.erasure->eraser, "pattern");
  ASSERT_TRUE(found.erasure->control.has_value());
  const double sd = std::sqrt((shares.array() - shares.mean()).square().sum() / 5) * std::abs(slope);
  EXPECT_NEAR(found.erasure->error_inputs, sd / std::sqrt(6.0), 1e-5);
  // By leaving out a group of the examples at a time, each erasure computed anew.
  const auto change = [&](const Matrix& random, const Matrix& striped) {
    const Eigen::RowVectorXd own = striped.colwise().mean() - random.colwise().mean();
    const Vector c = (at_active("zebra").topRows(6).rowwise() - random.colwise().mean()) * own.transpose() /
                     own.squaredNorm();
    return -c.mean() * own.dot(formula_.b.col(0).cast<double>());
  };
  const auto without = [](const Matrix& rows, Index group) {
    Matrix kept(0, rows.cols());
    for (Index i = 0; i < rows.rows(); ++i) {
      if (i % 20 == group) continue;
      kept.conservativeResize(kept.rows() + 1, Eigen::NoChange);
      kept.row(kept.rows() - 1) = rows.row(i);
    }
    return kept;
  };
  double variance = 0;
  const double whole = change(at_active("random"), at_active("striped"));
  for (const bool of_random : {true, false}) {
    const Matrix rows = at_active(of_random ? "random" : "striped");
    Eigen::ArrayXd pseudo(20), h(20);
    for (Index g = 0; g < 20; ++g) {
      const double left = of_random ? change(without(rows, g), at_active("striped"))
                                    : change(at_active("random"), without(rows, g));
      h(g) = static_cast<double>(rows.rows()) / static_cast<double>((rows.rows() + 19 - g) / 20);
      pseudo(g) = (h(g) - 1) * (whole - left);
    }
    const double centre = (pseudo / h).sum();
    variance += ((pseudo - centre).square() / (h - 1)).mean();
  }
  EXPECT_NEAR(found.erasure->error_examples, std::sqrt(variance), 1e-4 * std::sqrt(variance));
}

TEST_F(InterventionsTest, ConceptsAreErasedWhereThePoolLooks) {
  for (const Pool pool : {Pool::kFirst, Pool::kLast, Pool::at(1), Pool::kMax, Pool::kMean}) {
    config_.pool = pool;
    const Result found = run_it();
    const Eigen::RowVectorXd mean = at_layer("random", pool).cast<double>().colwise().mean();
    const Eigen::RowVectorXd delta = at_layer("striped", pool).cast<double>().colwise().mean() - mean;
    const Vector shares = (at_layer("zebra", pool).topRows(6).cast<double>().rowwise() - mean) *
                          delta.transpose() / delta.squaredNorm();
    const MatrixF hidden = at_layer("zebra", Pool::kNone).topRows(6);
    const Matrix erased = hidden.cast<double>() - shares.asDiagonal() * placed(hidden, delta, pool);
    const Matrix change =
        (erased.array().tanh() - hidden.cast<double>().array().tanh()).matrix() * formula_.b.cast<double>();
    EXPECT_NEAR(found.erasure->change, change.col(0).mean(), 1e-5) << model::pool_text(pool);
    EXPECT_NEAR(found.erasure->share.mean, shares.mean(), 1e-5) << model::pool_text(pool);
    EXPECT_GT(found.erasure->error_examples, 0) << model::pool_text(pool);
  }
}

TEST_F(InterventionsTest, AllConceptsTogetherLeaveNone) {
  config_.concepts.push_back({"dotted", write("dotted", 11, 30, -0.3)});
  config_.layers = {"active"};
  config_.erase_together = true;
  const RunResult found = run(config_, {}, {std::make_shared<TestingModel>()});
  ASSERT_EQ(found.erased_together.size(), 1U);
  EXPECT_EQ(found.erased_together[0].concepts, (std::vector<std::string>{"striped", "dotted"}));
  EXPECT_TRUE(std::isfinite(found.erased_together[0].erasure.change));
}

TEST_F(InterventionsTest, WithoutErasureThereIsNone) {
  config_.no_erase = true;
  EXPECT_FALSE(run_it().erasure.has_value());
}

TEST(TriedInputs, CostAboutAQuarterOfTheRun) {
  // 1000 + 3·100 forwards; 2 bases, 1 forward and 2 directions of 6 half ones each: 14 per input.
  EXPECT_EQ(tried_inputs({1000, 100, 2, 2, {0.5}}), 23);
  // Another layer at the end costs its forwards alone: 16.
  EXPECT_EQ(tried_inputs({1000, 100, 2, 2, {0.5, 1}}), 20);
  EXPECT_EQ(tried_inputs({100, 10, 2, 2, {0.5}}), kLeastTried);
  EXPECT_EQ(tried_inputs({100000, 10, 2, 2, {0.5}}), kMostTried);
}

}  // namespace
}  // namespace atcav
