#include "atcav/span/pass_builder.h"

#include <gtest/gtest.h>

#include "atcav/span/testing_sources.h"

namespace atcav::span {
namespace {

TEST(PassBuilder, TakesBatchesOfAnySizeAndSetsByTurns) {
  const MatrixF gradients = normal_rows(1, 4, 600);
  const MatrixF random = normal_rows(2, 100, 600, 5);
  const MatrixF positive = normal_rows(3, 30, 600, 6);
  MatrixSource a("random", random);
  MatrixSource b("concept", positive);
  const Pass expected = run_pass(gradients, {&a, &b}, {.gram = true});

  PassBuilder builder(gradients, {{"random", 100}, {"concept", 30}}, {.gram = true});
  builder.add(0, random.topRows(70));
  builder.add(1, positive.topRows(1));
  builder.add(1, positive.middleRows(1, 0));
  builder.add(0, HostRows(random.bottomRows(30)));
  builder.add(1, positive.bottomRows(29));
  const Pass pass = builder.finish();

  EXPECT_EQ(pass.centre, expected.centre);
  EXPECT_TRUE(pass.gram->isApprox(*expected.gram, 1e-13));
  for (const std::size_t s : {0, 1}) {
    const auto& [projections, held_out] = pass.sets[s];
    EXPECT_TRUE(projections.values.isApprox(expected.sets[s].projections.values, 1e-13));
    EXPECT_TRUE(held_out.fold_sums.isApprox(expected.sets[s].held_out.fold_sums, 1e-13));
  }
  MatrixF scored(30, 600);
  pass.sets[1].held_out.values->read(0, scored);
  EXPECT_EQ(scored, positive);
}

TEST(PassBuilder, WantsExactlyTheRowsItWasTold) {
  const MatrixF gradients = normal_rows(1, 4, 60);
  PassBuilder builder(gradients, {{"random", 10}}, {});
  builder.add(0, normal_rows(2, 9, 60));
  EXPECT_THROW(builder.finish(), std::invalid_argument);
  EXPECT_THROW(builder.add(0, normal_rows(2, 2, 60)), std::invalid_argument);
  EXPECT_THROW(builder.add(0, normal_rows(2, 1, 61)), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::span
