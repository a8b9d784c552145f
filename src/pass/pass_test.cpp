#include "pass/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "pass/testing_sources.h"

namespace atcav::pass {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// The pass in double, straight from its definition.
struct Reference {
  Eigen::RowVectorXd centre;
  std::vector<Matrix> centred;

  explicit Reference(const std::vector<MatrixF>& sets) {
    const Index pilot = std::min<Index>(64, sets[0].rows());
    const Eigen::RowVectorXd mean = sets[0].topRows(pilot).cast<double>().colwise().mean();
    centre = mean.cast<float>().cast<double>();
    for (const MatrixF& set : sets) centred.emplace_back(set.cast<double>().rowwise() - centre);
  }
};

double relative(const Matrix& value, const Matrix& expected) {
  return (value - expected).norm() / expected.norm();
}

Pass pass_over(const MatrixF& gradients, const std::vector<MatrixF>& sets, const PassOptions& options) {
  std::vector<MatrixSource> sources;
  for (const MatrixF& set : sets) sources.emplace_back("set", set);
  std::vector<RowSource*> pointers;
  for (MatrixSource& source : sources) pointers.push_back(&source);
  return run_pass(gradients, pointers, options);
}

void check_against_double(const Pass& pass, const MatrixF& gradients, const std::vector<MatrixF>& sets,
                          double tolerance) {
  const Reference reference(sets);
  const Matrix z = gradients.cast<double>();
  EXPECT_LT(relative(pass.centre.transpose(), reference.centre), 1e-7);  // the mean may round either way
  EXPECT_LT(relative(pass.centre_projection, z * pass.centre), 1e-12);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Matrix centred = sets[s].cast<double>().rowwise() - pass.centre.transpose();
    const auto& [projections, held_out, sketch, squares] = pass.sets[s];
    EXPECT_LT(relative(projections.values, z * centred.transpose()), tolerance);
    EXPECT_EQ(projections.weights, Vector::Ones(sets[s].rows()));
    EXPECT_LT(relative(squares, centred.rowwise().squaredNorm()), 1e-6);
    const Index folds = held_out.group_sums.rows();
    Matrix sums = Matrix::Zero(folds, centred.cols());
    Vector counts = Vector::Zero(folds);
    for (Index i = 0; i < centred.rows(); ++i) {
      sums.row(i % folds) += centred.row(i);
      counts(i % folds) += 1;
    }
    EXPECT_LT(relative(held_out.group_sums.total(), sums), tolerance);
    EXPECT_EQ(held_out.group_counts, counts);
    const Matrix directions = normal_rows(9, folds, centred.cols()).cast<double>();
    const Vector products = pass.backend->scored_products(static_cast<Index>(s), directions);
    for (Index i = 0; i < products.size(); ++i) {
      const Index row = held_out.rows[i];
      EXPECT_NEAR(products(i), centred.row(row).dot(directions.row(row % folds)), 1e-10 * centred.norm());
    }
  }
}

TEST(RunPass, SmallProblemsAgreeWithDouble) {
  const MatrixF gradients = normal_rows(1, 11, 700);
  const std::vector<MatrixF> sets = {normal_rows(2, 130, 700, 3), normal_rows(3, 40, 700, 4),
                                     normal_rows(4, 7, 700, 5)};
  const Pass pass = pass_over(gradients, sets, {});
  EXPECT_TRUE(pass.exact);
  EXPECT_EQ(pass.dimension, 700);
  EXPECT_FALSE(pass.gram);
  check_against_double(pass, gradients, sets, 1e-12);
}

TEST(RunPass, ManyBatchesAgreeWithDouble) {
  const MatrixF gradients = normal_rows(1, 3, 50);
  const std::vector<MatrixF> sets = {normal_rows(2, 5000, 50, 3), normal_rows(3, 2049, 50, 4)};
  const Pass pass = pass_over(gradients, sets, {.folds = 3});
  check_against_double(pass, gradients, sets, 1e-12);
  // Every ⌈5000/200⌉ = 25th group of three.
  EXPECT_EQ(pass.sets[0].held_out.rows.size(), 201);
  EXPECT_EQ(pass.sets[0].held_out.rows[3], 75);
}

// Bar of the project: sensitivities within 1e-5 of double when means are 1000 times the spread.
TEST(RunPass, FloatKeepsSensitivitiesFarFromZero) {
  const MatrixF gradients = normal_rows(1, 20, 20001);
  const std::vector<MatrixF> sets = {normal_rows(2, 90, 20001, 1000), normal_rows(3, 33, 20001, 1000.02)};
  const Pass pass = pass_over(gradients, sets, {.gram = true, .exact_below = 0});
  EXPECT_FALSE(pass.exact);
  check_against_double(pass, gradients, sets, 1e-6);
  const Vector pattern = sets[1].cast<double>().colwise().mean() - sets[0].cast<double>().colwise().mean();
  const Vector expected = gradients.cast<double>() * pattern;
  const Vector sensitivities = pass.sets[1].projections.mean() - pass.sets[0].projections.mean();
  EXPECT_LT(relative(sensitivities, expected), 1e-6);

  Matrix rows(124, 20001);
  rows << sets[0].cast<double>().rowwise() - pass.centre.transpose(),
      sets[1].cast<double>().rowwise() - pass.centre.transpose(), pass.centre.transpose();
  const Matrix gram = rows * rows.transpose();
  EXPECT_LT(relative(pass.gram->topLeftCorner(123, 123), gram.topLeftCorner(123, 123)), 1e-6);
  EXPECT_LT(relative(pass.gram->row(123).head(123), gram.row(123).head(123)), 1e-5);
  EXPECT_NEAR((*pass.gram)(123, 123) / gram(123, 123), 1, 1e-6);
}

TEST(RunPass, KeepsTheRowsInsteadOfAGramMatrixWhenThereAreMore) {
  const std::vector<MatrixF> sets = {normal_rows(2, 30, 40), normal_rows(3, 10, 40)};
  const Pass pass = pass_over(normal_rows(1, 3, 40), sets, {.gram = true});
  EXPECT_FALSE(pass.gram);
  EXPECT_EQ(pass.features->topRows(30), sets[0]);
  EXPECT_EQ(pass.features->bottomRows(10), sets[1]);
}

TEST(RunPass, MomentsOnlyTellsTheSameAsAllRows) {
  const MatrixF gradients = normal_rows(1, 6, 30);
  const std::vector<MatrixF> sets = {normal_rows(2, 4500, 30, 7), normal_rows(3, 41, 30, 70)};
  const Pass full = pass_over(gradients, sets, {});
  const Pass moments = pass_over(gradients, sets, {.moments_only = true});
  EXPECT_LT(relative(moments.centre, full.centre), 1e-15);
  const Vector direction = Stream(4).normal_matrix(6, 1);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Projections& a = full.sets[s].projections;
    const Projections& b = moments.sets[s].projections;
    EXPECT_EQ(b.columns(), std::min<Index>(60, sets[s].rows()));
    EXPECT_EQ(b.count(), sets[s].rows());
    EXPECT_LT(relative(b.mean(), a.mean()), 1e-12);
    EXPECT_LT(relative(b.variance(), a.variance()), 1e-11);
    EXPECT_NEAR(b.variance_along(direction) / a.variance_along(direction), 1, 1e-11);
    EXPECT_EQ(full.sets[s].held_out.group_sums.total(), moments.sets[s].held_out.group_sums.total());
    EXPECT_EQ(full.sets[s].held_out.rows, moments.sets[s].held_out.rows);
  }
}

// How run_pass gets its rows: results must not depend on it.

void expect_same_bits(const Pass& a, const Pass& b) {
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
    const Matrix directions = normal_rows(9, 5, a.dimension).cast<double>();
    EXPECT_EQ(a.backend->scored_products(set, directions), b.backend->scored_products(set, directions));
  }
}

// 24 MB and more a set: large enough for scratch files.
class Streams : public testing::Test {
 protected:
  Pass pass_over(const PassOptions& options) {
    MatrixSource a("random", random);
    MatrixSource b("concept", positive);
    return run_pass(gradients, {&a, &b}, options);
  }

  const Index d = 30011;
  const MatrixF gradients = normal_rows(1, 5, d);
  const MatrixF random = normal_rows(2, 210, d, 100);
  const MatrixF positive = normal_rows(3, 201, d, 101);
};

TEST_F(Streams, RowsThatComeOnceGiveTheBitsOfRowsInMemory) {
  for (const PassOptions& options : {PassOptions{.gram = true, .exact_below = 0}, PassOptions{}}) {
    OnceSource a("random", random);
    OnceSource b("concept", positive);
    expect_same_bits(run_pass(gradients, {&a, &b}, options), pass_over(options));
  }
}

TEST_F(Streams, RowsReadByManyThreadsGiveTheBitsOfRowsInMemory) {
  const PassOptions options{.gram = true, .exact_below = 0};
  FileLikeSource a("random", random);
  OnceSource b("concept", positive);
  expect_same_bits(run_pass(gradients, {&a, &b}, options), pass_over(options));
}

TEST_F(Streams, BitsDoNotDependOnThreads) {
  PassOptions options{.gram = true, .threads = 1, .exact_below = 0};
  const Pass one = pass_over(options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    expect_same_bits(pass_over(options), one);
  }
}

TEST(RunPassSmall, ManyBatchesOfRowsThatComeOnce) {
  const MatrixF rows = normal_rows(2, 5000, 40);
  MatrixSource memory("random", rows);
  OnceSource once("random", rows);
  const MatrixF gradients = normal_rows(1, 3, 40);
  expect_same_bits(run_pass(gradients, {&once}, {}), run_pass(gradients, {&memory}, {}));
}

TEST(RunPassSmall, ProgressIsToldByTheCallerAndCanStopThePass) {
  const auto caller = std::this_thread::get_id();
  std::vector<Index> seen;
  PassOptions options;
  options.progress = [&](Index done, Index total) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(total, 5050);
    seen.push_back(done);
  };
  const MatrixF gradients = normal_rows(1, 3, 40);
  OnceSource random("random", normal_rows(2, 5000, 40));
  MatrixSource positive("concept", normal_rows(3, 50, 40));
  run_pass(gradients, {&random, &positive}, options);
  EXPECT_EQ(seen, (std::vector<Index>{2048, 4096, 5000, 5050}));

  options.progress = [](Index, Index) { throw std::runtime_error("interrupted"); };
  OnceSource again("random", normal_rows(2, 5000, 40));
  EXPECT_THAT(
      [&] {
        run_pass(gradients, {&again, &positive}, options);
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("interrupted")));
}

TEST(RunPassSmall, NamesTheSetRowAndColumnOfAValueThatIsNotFinite) {
  const MatrixF gradients = normal_rows(1, 3, 40);
  MatrixF values = normal_rows(2, 5000, 40);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const Index row : {2, 4321}) {
      MatrixF spoiled = values;
      spoiled(row, 17) = bad;
      OnceSource source("concept 'striped'", spoiled);
      EXPECT_THAT([&] { run_pass(gradients, {&source}, {}); },
                  ThrowsMessage<std::invalid_argument>(
                      HasSubstr("concept 'striped' is " + std::string(bad > 0 ? "inf" : "nan") + " at row " +
                                std::to_string(row) + ", column 17")));
    }
  }
  MatrixF spoiled = gradients;
  spoiled(1, 3) = std::numeric_limits<float>::quiet_NaN();
  MatrixSource source("random", values);
  EXPECT_THAT([&] { run_pass(spoiled, {&source}, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("gradients is nan at row 1, column 3")));
  MatrixSource huge("random", MatrixF::Constant(10, 40, 1e30F) + 1e29F * values.topRows(10));
  const MatrixF steep = 1e20F * gradients;
  EXPECT_THAT([&] { run_pass(steep, {&huge}, {.exact_below = 0}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("overflow")));
}

TEST(RunPassSmall, RefusesWhatDoesNotFit) {
  const MatrixF gradients = normal_rows(1, 3, 40);
  MatrixSource narrow("concept 'dotted'", normal_rows(2, 10, 39));
  MatrixSource few("concept 'dotted'", normal_rows(2, 4, 40));
  EXPECT_THAT([&] { run_pass(gradients, {&narrow}, {}); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("concept 'dotted' has 39 columns but gradients has 40")));
  EXPECT_THAT(
      [&] { run_pass(gradients, {&few}, {}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("rows of concept 'dotted' is 4, must be at least 5")));
  EXPECT_THROW(run_pass(gradients, {&few}, {.folds = 1}), std::invalid_argument);
  EXPECT_THROW(run_pass(gradients, {&few}, {.gram = true, .moments_only = true, .folds = 2}),
               std::invalid_argument);
  EXPECT_THROW(run_pass(gradients.topRows(0), {&few}, {.folds = 2}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::pass
