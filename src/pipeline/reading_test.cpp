#include "pipeline/reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "atcav/random.h"
#include "data/array/npy.h"
#include "pipeline/testing_run.h"

namespace atcav {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

// Beside the numbers what would betray that rows came in another order.
void expect_same(const RunResult& found, const RunResult& wanted) {
  ASSERT_EQ(found.results.size(), wanted.results.size());
  for (std::size_t i = 0; i < found.results.size(); ++i) {
    const Result& a = found.results[i];
    const Result& b = wanted.results[i];
    EXPECT_EQ(a.sensitivities, b.sensitivities);
    EXPECT_EQ(a.effect.d, b.effect.d);
    EXPECT_EQ(a.effect.d_interval.low, b.effect.d_interval.low);
    EXPECT_EQ(a.interval().low, b.interval().low);
    EXPECT_EQ(a.examples->multi.scores, b.examples->multi.scores);
    EXPECT_EQ(a.examples->accuracy.concept_scores, b.examples->accuracy.concept_scores);
    EXPECT_EQ(a.examples->significance.differs_p, b.examples->significance.differs_p);
    ASSERT_EQ(a.logits.has_value(), b.logits.has_value());
    if (a.logits) {
      EXPECT_EQ(a.logits->difference, b.logits->difference);
    }
    ASSERT_EQ(a.intervention.has_value(), b.intervention.has_value());
    if (a.intervention) {
      EXPECT_EQ(a.intervention->ratio, b.intervention->ratio);
    }
  }
}

// Everything is read then, and intervals are those of a run with --until.
constexpr double kNeverReached = 1e-9;

double half(const Result& result) {
  return (result.effect.d_interval.high - result.effect.d_interval.low) / 2;
}

class ReadingTest : public TestingRun {
 protected:
  ReadingTest() {
    config_.batch = 8;
    config_.options.permutations = 19;
    config_.options.bootstrap = 20;
    config_.classes = {{"zebra", 0, write("zebra", 1, 60, 0.2)}};
    config_.concepts = {{"striped", write("striped", 3, 400, 0.4)},
                        {"dotted", write("dotted", 4, 300, -0.3)}};
    config_.random = write("random", 5, 700, 0);
  }
  static RunResult run_it(const Config& config) {
    return run(config, {}, {std::make_shared<model::TestingModel>()});
  }
  void refused(const Config& config, const std::string& message) {
    EXPECT_THAT([&] { run_it(config); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message)));
  }
  // The rows that were read, in a file of their own: the first ones of the set's keyed order, sorted.
  std::string own_file(const std::string& name, const Reading::Set& set) const {
    std::vector<Index> order =
        Stream(config_.options.seed, {kTaskReading, key_word(set.name)}).permutation(set.of);
    order.resize(static_cast<std::size_t>(set.read));
    std::ranges::sort(order);
    const MatrixF all = data::read_npy(data::open_file(folder_.file(name + ".npy"))).read_float();
    const MatrixF rows = all(order, Eigen::all);
    data::write_npy(folder_.file(name + "-read.npy"), rows);
    return folder_.file(name + "-read.npy");
  }
  Config with_own_files(const Reading& reading) const {
    Config config = config_;
    if (config.options.until) config.options.until = kNeverReached;
    config.options.budget.reset();
    config.random = own_file("random", reading.sets[0]);
    config.concepts[0].path = own_file("striped", reading.sets[1]);
    config.concepts[1].path = own_file("dotted", reading.sets[2]);
    return config;
  }
};

TEST_F(ReadingTest, TheRestIsAsIfOnlyTheseRowsHadBeenGiven) {
  for (const auto& [until, budget] : std::vector<std::pair<std::optional<double>, std::optional<Index>>>{
           {0.35, {}}, {{}, 640}, {1e-3, {}}}) {
    config_.options.until = until;
    config_.options.budget = budget;
    const RunResult found = run_it(config_);
    ASSERT_TRUE(found.reading);
    expect_same(found, run_it(with_own_files(*found.reading)));
  }
}

TEST_F(ReadingTest, ThreadsChangeNothing) {
  config_.options.until = 0.35;
  config_.options.threads = 1;
  const RunResult one = run_it(config_);
  config_.options.threads = 3;
  const RunResult three = run_it(config_);
  expect_same(three, one);
  EXPECT_EQ(three.reading->looks, one.reading->looks);
}

TEST_F(ReadingTest, StopsWhereEveryIntervalIsNarrow) {
  config_.options.until = 0.35;
  const RunResult found = run_it(config_);
  EXPECT_TRUE(found.reading->reached);
  EXPECT_GT(found.reading->looks, 1);
  for (const Result& result : found.results) EXPECT_LE(half(result), 0.35);
  ASSERT_EQ(found.reading->sets.size(), 3U);
  EXPECT_GE(found.reading->sets[0].read, kFirstRows);
  EXPECT_LT(found.reading->sets[0].read, 500);
  EXPECT_EQ(found.reading->sets[0].of, 700);
  EXPECT_EQ(found.results[0].examples->n_random, found.reading->sets[0].read);
  EXPECT_EQ(found.examples_run,
            found.reading->sets[0].read + found.reading->sets[1].read + found.reading->sets[2].read + 60)
      << "each example went through the network once";
  EXPECT_THAT(found.notes, Contains(HasSubstr("of 700 random examples, ")));
  EXPECT_THAT(found.notes, Contains(HasSubstr("the rule was width, not significance")));

  config_.options.until = 5;
  const RunResult wide = run_it(config_);
  EXPECT_EQ(wide.reading->looks, 1);
  for (const Reading::Set& set : wide.reading->sets) EXPECT_EQ(set.read, kFirstRows);
}

// Four inputs tell little, however many examples there are: it says so, and stops no earlier than where more
// examples hardly help. What is left to gain is a tenth of the variance for each set; the variance's own
// error makes up the rest.
TEST_F(ReadingTest, ReadsOnWhereInputsKeepItWide) {
  config_.classes = {{"zebra", 0, write("few", 1, 4, 0.2)}};
  config_.options.until = 0.02;
  const RunResult found = run_it(config_);
  EXPECT_FALSE(found.reading->reached);
  EXPECT_EQ(found.reading->beyond_reach, 4);
  EXPECT_THAT(found.notes, Contains(HasSubstr("4 of 4 intervals of d stay wider than ±0.02")));
  config_.options.until.reset();
  const RunResult all = run_it(config_);
  for (std::size_t i = 0; i < all.results.size(); ++i)
    EXPECT_LE(half(found.results[i]), 1.15 * half(all.results[i]));
}

TEST_F(ReadingTest, TheBudgetIsKept) {
  config_.options.budget = 333;
  const RunResult found = run_it(config_);
  Index read = 0;
  for (const Reading::Set& set : found.reading->sets) read += set.read;
  EXPECT_LE(read, 333);
  EXPECT_GT(read, 330);
  EXPECT_EQ(found.reading->looks, 0);
  EXPECT_THAT(found.notes, Contains(HasSubstr("the rule was the budget of 333 examples")));
  config_.options.until = 1e-3;
  config_.classes[0].path = write("many", 1, 500, 0.2);
  EXPECT_THAT(run_it(config_).notes, Not(Contains(HasSubstr("rule was the budget"))));
  config_.options.budget = 5;
  refused(config_, "budget is 5, must be at least 6: 2 examples for each of 3 sets");
}

TEST_F(ReadingTest, TheCacheStaysRight) {
  const RunResult all = run_it(config_);
  Config cached = config_;
  cached.cache = folder_.file("cache");
  cached.options.until = 0.35;
  const RunResult some = run_it(cached);
  Config plain = cached;
  plain.cache.clear();
  expect_same(some, run_it(plain));
  EXPECT_EQ(run_it(cached).examples_run, 0);
  cached.options.until = 0.3;  // goes on where the other stopped
  EXPECT_LT(run_it(cached).examples_run, 700);
  cached.options.until.reset();
  expect_same(run_it(cached), all);
}

TEST_F(ReadingTest, OfFittedMethodsPatternDecides) {
  config_.options.until = 0.5;
  const RunResult pattern = run_it(config_);
  config_.options.cav.method = stats::CavMethod::kRidge;
  const RunResult ridge = run_it(config_);
  for (std::size_t s = 0; s < 3; ++s) EXPECT_EQ(ridge.reading->sets[s].read, pattern.reading->sets[s].read);
  EXPECT_THAT(ridge.notes,
              Contains(HasSubstr("--until went by the width of pattern's d; that of ridge may be")));
}

TEST_F(ReadingTest, PairsStayTogether) {
  config_.concepts = {{"striped", write("striped", 3, 700, 0.4)}};
  config_.options.pairs = true;
  config_.options.until = 0.3;
  const RunResult found = run_it(config_);
  EXPECT_EQ(found.reading->sets[0].read, found.reading->sets[1].read);
  EXPECT_LT(found.reading->sets[0].read, 700);
  EXPECT_LE(half(found.results[0]), 0.3);
}

TEST_F(ReadingTest, WhatItCannotBeCombinedWith) {
  config_.options.until = 0.3;
  Config config = config_;
  config.options.moments_only = true;
  refused(config, "--until cannot be combined with --moments");
  config = config_;
  config.group_by = "(a)";
  refused(config, "--until cannot be combined with groups of rows");
  config = config_;
  config.options.until = 0;
  refused(config, "until is 0, must be > 0");
}

TEST_F(ReadingTest, OfArraysTheSame) {
  const auto draw = [](std::uint64_t seed, Index rows, double shift) {
    return MatrixF((Stream(seed).normal_matrix(rows, 5).array() + shift).matrix().cast<float>());
  };
  const MatrixF random = draw(1, 900, 0);
  const MatrixF striped = draw(2, 500, 0.3);
  const MatrixF gradients = draw(3, 80, 0.5);
  Config config;
  config.options.until = 0.3;
  const auto score_it = [&](const MatrixF& random_rows, const MatrixF& rows) {
    return score(Arrays{{{"striped", rows}}, MatrixFRef(random_rows), {{"zebra", gradients}}, {}}, config);
  };
  const RunResult found = score_it(random, striped);
  EXPECT_TRUE(found.reading->reached);
  EXPECT_LE(half(found.results[0]), 0.3);
  EXPECT_LT(found.reading->sets[0].read, 900);
  const auto own = [](const MatrixF& all, const Reading::Set& set) {
    std::vector<Index> order = Stream(0, {kTaskReading, key_word(set.name)}).permutation(set.of);
    order.resize(static_cast<std::size_t>(set.read));
    std::ranges::sort(order);
    return MatrixF(all(order, Eigen::all));
  };
  const auto sets = found.reading->sets;
  config.options.until = kNeverReached;
  expect_same(found, score_it(own(random, sets[0]), own(striped, sets[1])));
}

}  // namespace
}  // namespace atcav
