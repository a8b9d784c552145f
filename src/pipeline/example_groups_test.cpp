#include "pipeline/example_groups.h"

#include <gtest/gtest.h>

#include "atcav/random.h"
#include "pass/testing_sources.h"

namespace atcav {
namespace {

class ExampleGroupsTest : public testing::Test {
 protected:
  pass::Pass pass_of(Index groups_in_fold) {
    pass::MatrixSource random("random", random_), striped("striped", concept_);
    pass::PassOptions options;
    options.groups_in_fold = groups_in_fold;
    return pass::run_pass(MatrixF::Ones(1, 4), {&random, &striped}, options);
  }
  MatrixF random_ = Stream(1).normal_matrix(43, 4).cast<float>();
  MatrixF concept_ = (Stream(2).normal_matrix(22, 4).array() + 1).matrix().cast<float>();
};

TEST_F(ExampleGroupsTest, MeansAreCombinationsOfGroupMeans) {
  const pass::Pass pass = pass_of(4);
  const ExampleGroups groups(pass, 1, 0);
  EXPECT_EQ(groups.random_groups(), 20);
  const Eigen::RowVectorXd delta =
      concept_.cast<double>().colwise().mean() - random_.cast<double>().colwise().mean();
  EXPECT_TRUE((groups.difference().transpose() * groups.means()).isApprox(delta, 1e-6));
  // Without random group 3: rows 3 and 23 are gone.
  MatrixF left(41, 4);
  for (Index i = 0, j = 0; i < 43; ++i) {
    if (i % 20 != 3) left.row(j++) = random_.row(i);
  }
  const Eigen::RowVectorXd mean = left.cast<double>().colwise().mean();
  EXPECT_TRUE((groups.random_means_without().row(3) * groups.means() + groups.centre().transpose())
                  .isApprox(mean, 1e-6));
  EXPECT_TRUE((groups.differences_without().row(3) * groups.means())
                  .isApprox(concept_.cast<double>().colwise().mean() - mean, 1e-6));
}

// Fewer rows than groups: then each group is smaller, and one row a group is var/n.
TEST_F(ExampleGroupsTest, OneRowAGroupIsTheUsualVariance) {
  random_ = random_.topRows(20).eval();
  concept_ = concept_.topRows(20).eval();
  const pass::Pass pass = pass_of(4);
  const ExampleGroups groups(pass, 1, 0);
  const Vector g = Vector::LinSpaced(4, -1, 2);
  const auto parts = groups.variance_along(groups.means() * g);
  const Vector along = random_.cast<double>() * g;
  EXPECT_NEAR(parts[0].variance, (along.array() - along.mean()).square().sum() / 19 / 20, 1e-7);
  EXPECT_EQ(parts[0].degrees, 19);
  // Of a mean the jackknife is the same: it moves by (x_g - x̄)/19 without row g.
  Vector changes(40);
  changes << (along.array() - along.mean()) / 19, Vector::Zero(20);
  EXPECT_NEAR(groups.jackknife(changes)[0].variance, parts[0].variance, 1e-7);
}

// Groups of unequal sizes: on average σ²/n.
TEST(ExampleGroups, VarianceIsUnbiasedForUnequalGroups) {
  constexpr int kRepeats = 400;
  double sum = 0;
  Stream stream(3);
  for (int i = 0; i < kRepeats; ++i) {
    const MatrixF random = stream.normal_matrix(33, 1).cast<float>();
    const MatrixF striped = stream.normal_matrix(27, 1).cast<float>();
    pass::MatrixSource a("random", random), b("striped", striped);
    pass::PassOptions options;
    options.groups_in_fold = 4;
    const pass::Pass pass = pass::run_pass(MatrixF::Ones(1, 1), {&a, &b}, options);
    const ExampleGroups groups(pass, 1, 0);
    sum += groups.variance_along(groups.means().col(0))[1].variance * 27;
  }
  // sd of one is √(2/19): 0.016 of the mean of 400; three of them.
  EXPECT_NEAR(sum / kRepeats, 1, 0.05);
}

TEST_F(ExampleGroupsTest, HalvesCompareRandomExamplesAlone) {
  const pass::Pass pass = pass_of(4);
  const ExampleGroups groups(pass, 1, 0);
  const Matrix halves = groups.halves(3, 7);
  EXPECT_EQ(halves.rows(), 3);
  EXPECT_LT(halves.rightCols(20).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT(halves.rowwise().sum().cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NE(halves.row(0), halves.row(1));
}

}  // namespace
}  // namespace atcav
