#include "pipeline/named_steps.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav {
namespace {

TEST(NamedSteps, TellHowMuchOfADirectionTheyHold) {
  const Matrix random = 0.01 * Stream(1).normal_matrix(50, 3);
  Matrix rows = 0.01 * Stream(2).normal_matrix(40, 3);
  NamedSteps named;
  rows.col(0).array() += 2;
  named.add("right", rows, random);
  rows.col(0).array() -= 2;
  rows.col(1).array() += 2;
  named.add("up", rows, random);
  rows.col(1).array() -= 2;
  named.add("same", rows, random);  // as random examples: its way is noise
  EXPECT_EQ(named.names, (std::vector<std::string>{"right", "up"}));
  EXPECT_EQ(named.noise, (std::vector<std::string>{"same"}));
  Candidate one;
  named.describe(one, Vector{{0.6, 0, 0.8}});
  EXPECT_EQ(one.nearest, "right");
  EXPECT_NEAR(one.nearest_cosine, 0.6, 0.01);
  EXPECT_NEAR(one.explained, 0.36, 0.01);
}

}  // namespace
}  // namespace atcav
