#include "stats/class_law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/theory.h"

namespace atcav::stats {
namespace {

using ::testing::HasSubstr;

TwoClasses two_by_two() {
  const ClassLaw law{Vector::Zero(2), Matrix::Identity(2, 2)};
  return {law, law, 3, 4};
}

std::string complaint(const TwoClasses& classes) {
  try {
    check_two_classes("caller", classes);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(CheckTwoClasses, AcceptsSoundLawsAndZeroCovariance) {
  TwoClasses classes = two_by_two();
  EXPECT_EQ(complaint(classes), "");
  classes.of_concept.covariance.setZero();
  EXPECT_EQ(complaint(classes), "");
}

TEST(CheckTwoClasses, NamesWhatIsWrong) {
  TwoClasses classes = two_by_two();
  classes.of_concept.covariance = Matrix::Identity(3, 3);
  EXPECT_EQ(complaint(classes), "[caller] covariance of concept has 3 rows but mean of concept has 2");

  classes = two_by_two();
  classes.of_concept = {Vector::Zero(1), Matrix::Identity(1, 1)};
  EXPECT_EQ(complaint(classes), "[caller] mean of random has 2 values but mean of concept has 1");

  classes = two_by_two();
  classes.random.covariance(0, 1) = 0.5;
  EXPECT_THAT(complaint(classes), HasSubstr("covariance of random is not symmetric"));

  classes = two_by_two();
  classes.random.covariance(1, 1) = -1;
  EXPECT_THAT(complaint(classes), HasSubstr("is -1 at row 1, column 1, must be >= 0"));

  classes = two_by_two();
  classes.random.mean(1) = NAN;
  EXPECT_THAT(complaint(classes), HasSubstr("mean of random is nan at row 1"));

  classes = two_by_two();
  classes.n_concept = 0;
  EXPECT_EQ(complaint(classes), "[caller] n_concept is 0, must be at least 1");

  EXPECT_THAT(complaint({}), HasSubstr("mean of random length is 0"));
}

TEST(ToeplitzCovariance, WrittenOut) {
  const Matrix expected{{1, 0.4, 0.16}, {0.4, 1, 0.4}, {0.16, 0.4, 1}};
  EXPECT_LT((toeplitz_covariance(3, 0.4) - expected).norm(), 1e-15);
  EXPECT_EQ(toeplitz_covariance(2, 0), Matrix(Matrix::Identity(2, 2)));
  EXPECT_THROW(toeplitz_covariance(3, 1), std::invalid_argument);
  EXPECT_THROW(toeplitz_covariance(0, 0.1), std::invalid_argument);
}

TEST(SampleToeplitz, HasTheMomentsAskedFor) {
  const Vector mean{{1.0, -2.0, 0.5, 3.0}};
  Stream stream(7, {kTaskSimulation});
  const Matrix x = sample_toeplitz(mean, -0.6, 40000, stream);
  const Matrix centred = x.rowwise() - mean.transpose();
  // A mean of 40,000 has standard error 0.005, a covariance at most 0.0071.
  EXPECT_LT(centred.colwise().mean().cwiseAbs().maxCoeff(), 0.02);
  const Matrix covariance = centred.transpose() * centred / 40000;
  EXPECT_LT((covariance - toeplitz_covariance(4, -0.6)).cwiseAbs().maxCoeff(), 0.03);
}

TEST(SampleToeplitz, SameKeySameRows) {
  Stream first(3, {1});
  Stream second(3, {1});
  const Vector mean = Vector::Zero(5);
  EXPECT_EQ(sample_toeplitz(mean, 0.2, 6, first), sample_toeplitz(mean, 0.2, 6, second));
  EXPECT_EQ(sample_toeplitz(mean, 0.2, 0, first).rows(), 0);
  EXPECT_THROW(sample_toeplitz(mean, 1.5, 6, first), std::invalid_argument);
}

}  // namespace

}  // namespace atcav::stats
