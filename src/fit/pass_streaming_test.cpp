#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "pass/pass.h"
#include "pass/testing_sources.h"

// How run_pass gets its rows: results must not depend on it.
namespace atcav::fit {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

void expect_same_bits(const pass::Pass& a, const pass::Pass& b) {
  ASSERT_EQ(a.sets.size(), b.sets.size());
  EXPECT_EQ(a.centre, b.centre);
  EXPECT_EQ(a.centre_projection, b.centre_projection);
  ASSERT_EQ(a.gram.has_value(), b.gram.has_value());
  if (a.gram) {
    EXPECT_EQ(*a.gram, *b.gram);
  }
  for (std::size_t s = 0; s < a.sets.size(); ++s) {
    EXPECT_EQ(a.sets[s].projections.values, b.sets[s].projections.values);
    EXPECT_EQ(a.sets[s].held_out.group_sums.total(), b.sets[s].held_out.group_sums.total());
    const auto set = static_cast<Index>(s);
    const Matrix directions = pass::normal_rows(9, 5, a.dimension).cast<double>();
    EXPECT_EQ(a.backend->scored_products(set, directions), b.backend->scored_products(set, directions));
  }
}

// 24 MB and more a set: large enough for scratch files.
class Streams : public testing::Test {
 protected:
  pass::Pass pass_over(const pass::PassOptions& options) {
    pass::MatrixSource a("random", random);
    pass::MatrixSource b("concept", positive);
    return pass::run_pass(gradients, {&a, &b}, options);
  }

  const Index d = 30011;
  const MatrixF gradients = pass::normal_rows(1, 5, d);
  const MatrixF random = pass::normal_rows(2, 210, d, 100);
  const MatrixF positive = pass::normal_rows(3, 201, d, 101);
};

TEST_F(Streams, RowsThatComeOnceGiveTheBitsOfRowsInMemory) {
  for (const pass::PassOptions& options :
       {pass::PassOptions{.gram = true, .exact_below = 0}, pass::PassOptions{}}) {
    pass::OnceSource a("random", random);
    pass::OnceSource b("concept", positive);
    expect_same_bits(pass::run_pass(gradients, {&a, &b}, options), pass_over(options));
  }
}

TEST_F(Streams, RowsReadByManyThreadsGiveTheBitsOfRowsInMemory) {
  const pass::PassOptions options{.gram = true, .exact_below = 0};
  pass::FileLikeSource a("random", random);
  pass::OnceSource b("concept", positive);
  expect_same_bits(pass::run_pass(gradients, {&a, &b}, options), pass_over(options));
}

TEST_F(Streams, BitsDoNotDependOnThreads) {
  pass::PassOptions options{.gram = true, .threads = 1, .exact_below = 0};
  const pass::Pass one = pass_over(options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    expect_same_bits(pass_over(options), one);
  }
}

TEST(RunPassSmall, ManyBatchesOfRowsThatComeOnce) {
  const MatrixF rows = pass::normal_rows(2, 5000, 40);
  pass::MatrixSource memory("random", rows);
  pass::OnceSource once("random", rows);
  const MatrixF gradients = pass::normal_rows(1, 3, 40);
  expect_same_bits(pass::run_pass(gradients, {&once}, {}), pass::run_pass(gradients, {&memory}, {}));
}

TEST(RunPassSmall, ProgressIsToldByTheCallerAndCanStopThePass) {
  const auto caller = std::this_thread::get_id();
  std::vector<Index> seen;
  pass::PassOptions options;
  options.progress = [&](Index done, Index total) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(total, 5050);
    seen.push_back(done);
  };
  const MatrixF gradients = pass::normal_rows(1, 3, 40);
  pass::OnceSource random("random", pass::normal_rows(2, 5000, 40));
  pass::MatrixSource positive("concept", pass::normal_rows(3, 50, 40));
  pass::run_pass(gradients, {&random, &positive}, options);
  EXPECT_EQ(seen, (std::vector<Index>{2048, 4096, 5000, 5050}));

  options.progress = [](Index, Index) { throw std::runtime_error("interrupted"); };
  pass::OnceSource again("random", pass::normal_rows(2, 5000, 40));
  EXPECT_THAT(
      [&] {
        pass::run_pass(gradients, {&again, &positive}, options);
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("interrupted")));
}

TEST(RunPassSmall, NamesTheSetRowAndColumnOfAValueThatIsNotFinite) {
  const MatrixF gradients = pass::normal_rows(1, 3, 40);
  MatrixF values = pass::normal_rows(2, 5000, 40);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const Index row : {2, 4321}) {
      MatrixF spoiled = values;
      spoiled(row, 17) = bad;
      pass::OnceSource source("concept 'striped'", spoiled);
      EXPECT_THAT([&] { pass::run_pass(gradients, {&source}, {}); },
                  ThrowsMessage<std::invalid_argument>(
                      HasSubstr("concept 'striped' is " + std::string(bad > 0 ? "inf" : "nan") + " at row " +
                                std::to_string(row) + ", column 17")));
    }
  }
  MatrixF spoiled = gradients;
  spoiled(1, 3) = std::numeric_limits<float>::quiet_NaN();
  pass::MatrixSource source("random", values);
  EXPECT_THAT([&] { pass::run_pass(spoiled, {&source}, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("gradients is nan at row 1, column 3")));
  pass::MatrixSource huge("random", MatrixF::Constant(10, 40, 1e30F) + 1e29F * values.topRows(10));
  const MatrixF steep = 1e20F * gradients;
  EXPECT_THAT([&] { pass::run_pass(steep, {&huge}, {.exact_below = 0}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("overflow")));
}

TEST(RunPassSmall, RefusesWhatDoesNotFit) {
  const MatrixF gradients = pass::normal_rows(1, 3, 40);
  pass::MatrixSource narrow("concept 'dotted'", pass::normal_rows(2, 10, 39));
  pass::MatrixSource few("concept 'dotted'", pass::normal_rows(2, 4, 40));
  EXPECT_THAT([&] { pass::run_pass(gradients, {&narrow}, {}); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("concept 'dotted' has 39 columns but gradients has 40")));
  EXPECT_THAT(
      [&] { pass::run_pass(gradients, {&few}, {}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("rows of concept 'dotted' is 4, must be at least 5")));
  EXPECT_THROW(pass::run_pass(gradients, {&few}, {.folds = 1}), std::invalid_argument);
  EXPECT_THROW(pass::run_pass(gradients, {&few}, {.gram = true, .moments_only = true, .folds = 2}),
               std::invalid_argument);
  EXPECT_THROW(pass::run_pass(gradients.topRows(0), {&few}, {.folds = 2}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::fit
