#include "atcav/stats/class_law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

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

}  // namespace
}  // namespace atcav::stats
