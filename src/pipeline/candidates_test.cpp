#include "pipeline/candidates.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav {
namespace {

// Three inputs with two positions each, two channels.
LayerPositions six_rows() {
  LayerPositions positions;
  positions.rows.resize(6, 2);
  positions.rows << 4, 0, 0, 1, 5, 0, 6, 0, 0, 2, 0, 3;
  positions.begins = {0, 2, 4, 6};
  positions.positions = {0, 1, 0, 1, 0, 1};
  positions.of_input = 2;
  return positions;
}

TEST(Candidates, AreClustersAndTheirMembersAreLookedForElsewhere) {
  const LayerPositions positions = six_rows();
  const FoundCandidates found = find_candidates(positions.rows, Vector::Zero(2), {.candidates = 2});
  ASSERT_EQ(found.count(), 2);
  MatrixF others(3, 2);
  others << 9, 0, 0, 9, 7, 1;
  const Members members = found.members(others);
  const Members own = found.members(positions.rows);
  EXPECT_EQ(own[0].size() + own[1].size(), 6U);
  const std::size_t right = own[0].front() == 0 ? 0 : 1;  // the cluster of row 0
  EXPECT_EQ(members[right], (std::vector<Index>{0, 2}));
  EXPECT_EQ(members[1 - right], (std::vector<Index>{1}));
}

// Of rows along two directions one feature each has them; a row that is like neither shows what it is nearest
// to.
TEST(Candidates, FeaturesOfASparseAutoencoder) {
  MatrixF rows = MatrixF::Zero(200, 6);
  for (Index row = 0; row < 200; ++row) {
    rows(row, row % 2 == 0 ? 1 : 4) = 2;
    rows(row, row % 6) += 0.1F;
  }
  bool elsewhere = false;
  const FindOptions options{.finder = Finder::kSae,
                            .candidates = 2,
                            .trainer = [&](const MatrixFRef&, const stats::SparseAutoencoder&) {
                              elsewhere = true;
                              return nullptr;
                            }};
  const FoundCandidates found = find_candidates(rows, Vector::Zero(6), options);
  EXPECT_TRUE(elsewhere);  // asked first; null: on the CPU
  ASSERT_EQ(found.count(), 2);
  const Members own = found.members(rows);
  ASSERT_EQ(own[0].size() + own[1].size(), 200U);
  for (const std::vector<Index>& of_one : own)
    for (const Index row : of_one) EXPECT_EQ(row % 2, of_one.front() % 2);
}

TEST(Candidates, NearEqualDirectionsAreOne) {
  Matrix directions(3, 2);
  directions << 1, 0, 0, 1, 10, 0.1;
  const MatrixF random = MatrixF::Zero(20, 2);
  const FoundCandidates found = given_candidates(directions, random, Vector::Zero(2), 0.95);
  EXPECT_EQ(found.numbers, (std::vector<Index>{0, 1}));
  EXPECT_EQ(found.merged, (std::vector<std::vector<Index>>{{2}, {}}));
  const Members members = found.members(six_rows().rows);
  EXPECT_EQ(members[0].front(), 0);  // both of the two that were merged, once each
  EXPECT_EQ(given_candidates(directions, random, Vector::Zero(2), 0.99999).count(), 3);
  EXPECT_THROW(given_candidates(Matrix::Ones(1, 3), random, Vector::Zero(2), 0.9), std::invalid_argument);
}

TEST(Candidates, AGivenDirectionIsShownBeyondNineteenOfTwentyRandomRows) {
  MatrixF random(100, 1);
  for (Index row = 0; row < 100; ++row) random(row, 0) = static_cast<float>(row);
  const FoundCandidates found = given_candidates(Matrix::Ones(1, 1), random, Vector::Zero(1), 0.9);
  EXPECT_EQ(found.members(random)[0], (std::vector<Index>{96, 97, 98, 99}));
}

TEST(Candidates, MeansAreOfInputsAndThenOfGroups) {
  const LayerPositions positions = six_rows();
  const std::vector<Index> members = {0, 2, 3};  // one row of input 0, both of input 1
  MatrixF by_input(2, 2);
  by_input << 4, 0, 5.5, 0;
  EXPECT_EQ(means_by_group(positions, members, {}), by_input);
  const MatrixF grouped = means_by_group(positions, members, groups_of({"a", "a", "b"}));
  ASSERT_EQ(grouped.rows(), 1);
  EXPECT_FLOAT_EQ(grouped(0, 0), 4.75F);  // not 5: each input counts once
  EXPECT_EQ(inputs_with(positions, members), 2);
}

TEST(Candidates, TheStrongestPatchOfEachInputStandsForIt) {
  Vector direction(2);
  direction << 2, 0;
  const auto patches = strongest_patches(six_rows(), {0, 2, 3}, direction, Vector::Zero(2));
  ASSERT_EQ(patches.size(), 2U);
  EXPECT_EQ(patches[0].input, 1);
  EXPECT_EQ(patches[0].position, 1);
  EXPECT_DOUBLE_EQ(patches[0].strength, 3);  // 6·2/2²
  EXPECT_EQ(patches[1].cells, (std::vector<double>{2, 0}));
}

}  // namespace
}  // namespace atcav
