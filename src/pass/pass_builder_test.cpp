#include "pass/pass_builder.h"

#include <gtest/gtest.h>

#include "pass/testing_sources.h"

namespace atcav::pass {
namespace {

TEST(PassBuilder, TakesBatchesOfAnySizeAndSetsByTurns) {
  const MatrixF gradients = normal_rows(1, 4, 600);
  const MatrixF random = normal_rows(2, 100, 600, 5);
  const MatrixF positive = normal_rows(3, 30, 600, 6);
  MatrixSource a("random", random);
  MatrixSource b("concept", positive);
  const Pass expected = run_pass(gradients, {&a, &b}, {.gram = true});

  PassBuilder builder(gradients, {{"random", 100}, {"concept", 30}}, {.gram = true});
  builder.add(0, HostRows(random.topRows(70)));
  builder.add(1, HostRows(positive.topRows(1)));
  builder.add(1, HostRows(positive.middleRows(1, 0)));
  builder.add(0, HostRows(random.bottomRows(30)));
  builder.add(1, HostRows(positive.bottomRows(29)));
  const Pass pass = builder.finish();

  EXPECT_EQ(pass.centre, expected.centre);
  EXPECT_TRUE(pass.gram->isApprox(*expected.gram, 1e-13));
  for (const std::size_t s : {0, 1}) {
    const auto& [projections, held_out, sketch, squares] = pass.sets[s];
    EXPECT_TRUE(projections.values.isApprox(expected.sets[s].projections.values, 1e-13));
    EXPECT_TRUE(held_out.group_sums.total().isApprox(expected.sets[s].held_out.group_sums.total(), 1e-13));
  }
  MatrixF rows(30, 600);
  pass.backend->read_rows(1, 0, rows);
  EXPECT_EQ(rows, positive);
}

// Rows 0 … 127 here, the rest there: together every bit of one pass whose rows were cut at the same place.
TEST(PassBuilder, SharesMakeUpTheWhole) {
  const MatrixF gradients = normal_rows(1, 4, 5000);
  const MatrixF rows = normal_rows(2, 300, 5000, 5);
  const std::vector<SetShape> shapes = {{"random", 300}};
  for (const double exact_below : {0.0, 1e12}) {
    PassOptions options{.exact_below = exact_below};
    PassBuilder whole(gradients, shapes, options);
    PassBuilder first(gradients, shapes, options);
    whole.add(0, HostRows(rows.topRows(128)));
    first.add(0, HostRows(rows.topRows(128)));
    whole.continue_at(0, 128);
    first.continue_at(0, 128);
    options.centre = first.centre();
    PassBuilder second(gradients, shapes, options);
    second.continue_at(0, 128);
    for (Index row = 128; row < 300; row += 43) {
      whole.add(0, HostRows(rows.middleRows(row, 43)));
      second.add(0, HostRows(rows.middleRows(row, 43)));
    }
    const Pass all = whole.finish();
    Pass here = first.finish_share();
    const Pass there = second.finish_share();

    EXPECT_EQ(here.centre, all.centre);
    EXPECT_EQ(there.centre, all.centre);
    SetPass& own = here.sets[0];
    own.projections.values += there.sets[0].projections.values;
    own.held_out.group_sums.add(there.sets[0].held_out.group_sums);
    EXPECT_EQ(own.projections.values, all.sets[0].projections.values);
    EXPECT_EQ(own.held_out.group_sums.total(), all.sets[0].held_out.group_sums.total());
    const Matrix directions = normal_rows(3, 5, 5000).cast<double>();
    const Vector scored[] = {all.backend->scored_products(0, directions),
                             here.backend->scored_products(0, directions),
                             there.backend->scored_products(0, directions)};
    for (Index i = 0; i < scored[0].size(); ++i)
      EXPECT_EQ(scored[0](i), scored[own.held_out.rows[i] < 128 ? 1 : 2](i));
  }
}

TEST(PassBuilder, WantsExactlyTheRowsItWasTold) {
  const MatrixF gradients = normal_rows(1, 4, 60);
  PassBuilder builder(gradients, {{"random", 10}}, {});
  builder.add(0, HostRows(normal_rows(2, 9, 60)));
  EXPECT_THROW(builder.finish(), std::invalid_argument);
  EXPECT_THROW(builder.add(0, HostRows(normal_rows(2, 2, 60))), std::invalid_argument);
  EXPECT_THROW(builder.add(0, HostRows(normal_rows(2, 1, 61))), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::pass
