#include "core/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace atcav {
namespace {

using testing::ThrowsMessage;

TEST(Check, MessageNamesFunctionArgumentValueAndBound) {
  EXPECT_THAT([] { check_positive("fit_cav", "lambda", -1); },
              ThrowsMessage<std::invalid_argument>("[fit_cav] lambda is -1, must be > 0"));
  EXPECT_THAT([] { check_at_least("fit_cav", "rows of the concept", 1, 2); },
              ThrowsMessage<std::invalid_argument>("[fit_cav] rows of the concept is 1, must be at least 2"));
  EXPECT_THAT([] { check_within("run", "batch", 9, 1, 8); },
              ThrowsMessage<std::invalid_argument>("[run] batch is 9, must be at most 8"));
  EXPECT_THAT([] { check_within("run", "batch", 0, 1, 8); },
              ThrowsMessage<std::invalid_argument>("[run] batch is 0, must be at least 1"));
  EXPECT_NO_THROW(check_within("run", "batch", 8, 1, 8));
  EXPECT_THAT([] { check_same("f", "columns", "a", 3, "b", 4); },
              ThrowsMessage<std::invalid_argument>("[f] a has 3 columns but b has 4"));
  EXPECT_THAT([] { check_fraction("f", "level", 1); },
              ThrowsMessage<std::invalid_argument>("[f] level is 1, must be between 0 and 1"));
}

TEST(Check, NanIsNeverPositive) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check_positive("f", "x", nan), std::invalid_argument);
  EXPECT_THROW(check_non_negative("f", "x", nan), std::invalid_argument);
  EXPECT_THROW(check_fraction("f", "x", nan), std::invalid_argument);
}

TEST(Check, FiniteNamesThePlace) {
  Matrix values = Matrix::Zero(3, 4);
  EXPECT_NO_THROW(check_finite("f", "x", values));
  values(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THAT([&] { check_finite("f", "x", values); },
              ThrowsMessage<std::invalid_argument>("[f] x is inf at row 2, column 1, must be finite"));
}

TEST(AllFinite, SeesEveryPlaceAndSign) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kLargest = std::numeric_limits<float>::max();
  std::vector<float> values = {0, -0.0F, kLargest, -kLargest, std::numeric_limits<float>::denorm_min()};
  values.resize(101, 1);
  EXPECT_TRUE(all_finite(values));
  EXPECT_TRUE(all_finite({}));
  for (const float bad : {kInfinity, -kInfinity, std::nanf(""), -std::nanf("")}) {
    for (std::size_t at = 0; at < values.size(); ++at) {
      const float good = std::exchange(values[at], bad);
      EXPECT_FALSE(all_finite(values)) << bad << " at " << at;
      values[at] = good;
    }
  }
}

}  // namespace
}  // namespace atcav
