#include "pipeline/grouped_effect.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav {
namespace {

pass::Projections rows(std::uint64_t seed, Index count) {
  return {Stream(seed).normal_matrix(4, count), Vector::Ones(count), {}};
}

std::vector<std::string> names(const std::string& start, Index count, Index each) {
  std::vector<std::string> list;
  for (Index i = 0; i < count; ++i) list.push_back(start + std::to_string(i / each));
  return list;
}

TEST(EffectOfSets, AddsCopiesUp) {
  pass::Projections random = rows(1, 60);
  pass::Projections crops = rows(2, 40);
  for (Index i = 0; i < 40; ++i) crops.values.col(i) = crops.values.col(i / 4 * 4).eval();
  const auto effect = [&](Index each) {
    return effect_of_sets(random, crops, names("r", 60, 1), names("c", 40, each), {}, "c", 0.95);
  };
  const double as_rows = effect(1).error_examples;
  const double as_groups = effect(4).error_examples;
  // Four times the variance of the concept's mean; the random rows' stays.
  EXPECT_GT(as_groups, 1.4 * as_rows);
  EXPECT_EQ(effect(4).logits, effect(1).logits);
}

TEST(DealtSets, AreRowsOrWholeGroups) {
  const Vector random = Vector::LinSpaced(6, 1, 6);
  const Vector positive = Vector::LinSpaced(4, 7, 10);
  EXPECT_EQ(dealt_sets(random, positive, {}, {})->random.sums, random);
  const auto dealt = dealt_sets(random, positive, names("r", 6, 2), names("c", 4, 2));
  ASSERT_TRUE(dealt.has_value());
  EXPECT_EQ(dealt->random.sums, Eigen::Vector3d(3, 7, 11));
  EXPECT_EQ(dealt->of_concept.counts, Eigen::Vector2d(2, 2));
  EXPECT_FALSE(dealt_sets(random, positive, names("r", 6, 2), names("r", 4, 2))) << "r0 is in both";
}

TEST(EffectOfSets, RefusesASetOfOneGroup) {
  EXPECT_THROW(effect_of_sets(rows(1, 20), rows(2, 10), names("r", 20, 1), names("c", 10, 10), {}, "c", 0.95),
               std::invalid_argument);
}

}  // namespace
}  // namespace atcav
