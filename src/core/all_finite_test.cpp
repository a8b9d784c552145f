#include "core/all_finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace atcav {
namespace {

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
