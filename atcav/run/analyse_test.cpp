#include "atcav/run/analyse_pass.h"

#include <gtest/gtest.h>

#include "atcav/base/random.h"

namespace atcav {
namespace {

struct Data {
  MatrixF random = Stream(1).normal_matrix(60, 30).cast<float>();
  MatrixF positive = (Stream(2).normal_matrix(40, 30).array() + 0.4).cast<float>();
  MatrixF unrelated = Stream(3).normal_matrix(30, 30).cast<float>();
  MatrixF gradients = (Stream(4).normal_matrix(50, 30).array() + 0.3).cast<float>();
};

LayerResults run_layer(const Data& data, Options options, const LayerNames& names) {
  options = checked(options);
  span::MatrixSource random("random", data.random);
  span::MatrixSource positive("a", data.positive);
  span::MatrixSource unrelated("b", data.unrelated);
  const span::Pass pass = span::run_pass(data.gradients, {&random, &positive, &unrelated},
                                         pass_options(options, data.unrelated.rows()));
  return analyse_pass(pass, data.gradients, names, options, [] {});
}

std::vector<Result> run(const Data& data, const Options& options, const LayerNames& names) {
  return run_layer(data, options, names).results;
}

TEST(AnalysePass, ConceptsWithinClasses) {
  const std::vector<Result> results = run({}, {}, {"layer3", {"a", "b"}, {{"zebra", 20}, {"horse", 30}}, {}});
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[1].concept_name, "b");
  EXPECT_EQ(results[1].class_name, "zebra");
  EXPECT_EQ(results[2].class_name, "horse");
  EXPECT_EQ(results[2].n_class, 30);
  EXPECT_EQ(results[2].layer, "layer3");
  EXPECT_EQ(results[0].n_random, 60);
  EXPECT_EQ(results[0].n_concept, 40);
  EXPECT_GT(results[0].alpha_tcav.at("dagger"), results[1].alpha_tcav.at("dagger"));
  EXPECT_GT(results[0].accuracy.held_out, 0.7);
}

TEST(AnalysePass, CosinesAreOfTheMethodAskedFor) {
  const LayerNames names{"layer3", {"a", "b"}, {{"zebra", 50}}, {}};
  const Data data;
  for (const stats::CavMethod method : {stats::CavMethod::kPattern, stats::CavMethod::kRidge}) {
    Options options;
    options.cav.method = method;
    const Entanglement found = run_layer(data, options, names).entanglement;
    EXPECT_EQ(found.layer, "layer3");
    EXPECT_EQ(found.concepts, names.concepts);
    const Matrix random = data.random.cast<double>();
    const Vector a = stats::fit_cav(random, data.positive.cast<double>(), options.cav).direction.normalized();
    const Vector b =
        stats::fit_cav(random, data.unrelated.cast<double>(), options.cav).direction.normalized();
    EXPECT_NEAR(found.cosines(0, 1), a.dot(b), 1e-9);
    EXPECT_NEAR(found.cosines(0, 0), 1, 1e-12);
  }
}

// The profile's stop at α = 1 has the interval that the score for α = 1 has.
TEST(AnalysePass, ProfilesHaveIntervals) {
  for (const IntervalMethod method : {IntervalMethod::kDelta, IntervalMethod::kBootstrap}) {
    Options options;
    options.interval = method;
    const Result result = run({}, options, {"", {"a", "b"}, {{"zebra", 50}}, {}})[0];
    ASSERT_EQ(result.profile_intervals.size(), result.profile.alpha.size());
    ASSERT_EQ(result.profile.alpha[10], 1);
    EXPECT_NEAR(result.profile_intervals[10].low, result.intervals.at("1").interval.low, 1e-12);
    EXPECT_NEAR(result.profile_intervals[10].high, result.intervals.at("1").interval.high, 1e-12);
    // Steep ones are bootstrapped, so they keep to TCAV's; the closed form would reach over most of [0, 1].
    EXPECT_NEAR(result.profile_intervals[30].low, result.intervals.at("tcav").interval.low, 0.05);
    EXPECT_NEAR(result.profile_intervals[30].high, result.intervals.at("tcav").interval.high, 0.05);
  }
}

// A class on its own gives the numbers it gives among others.
TEST(AnalysePass, ClassesDoNotTouchEachOther) {
  Data data;
  const Result together = run(data, {}, {"", {"a", "b"}, {{"zebra", 20}, {"horse", 30}}, {}})[2];
  const MatrixF horses = data.gradients.bottomRows(30);
  data.gradients = horses;
  const Result alone = run(data, {}, {"", {"a", "b"}, {{"horse", 30}}, {}})[0];
  EXPECT_EQ(together.tcav, alone.tcav);
  EXPECT_NEAR(together.alpha_tcav.at("dagger"), alone.alpha_tcav.at("dagger"), 1e-12);
  EXPECT_EQ(together.significance.permutation_p, alone.significance.permutation_p);
  EXPECT_EQ(together.multi.scores, alone.multi.scores);
}

TEST(AnalysePass, MomentsOnlyGivesTheSameScoresAndErrors) {
  Options moments;
  moments.moments_only = true;
  const LayerNames names{"", {"a", "b"}, {{"zebra", 50}}, {}};
  const Result rows = run({}, {}, names)[0];
  const Result blocks = run({}, moments, names)[0];
  EXPECT_EQ(rows.n_concept, blocks.n_concept);
  EXPECT_NEAR(rows.magnitude, blocks.magnitude, 1e-9);
  EXPECT_NEAR(rows.alpha_tcav.at("dagger"), blocks.alpha_tcav.at("dagger"), 1e-9);
  EXPECT_NEAR(rows.empirical_bayes, blocks.empirical_bayes, 1e-9);
  EXPECT_NEAR(rows.intervals.at("dagger").standard_error, blocks.intervals.at("dagger").standard_error, 1e-9);
  EXPECT_EQ(rows.accuracy.held_out, blocks.accuracy.held_out);
}

TEST(AnalysePass, FittedMethodsHaveJackknifeErrors) {
  Options options;
  options.cav.method = stats::CavMethod::kRidge;
  options.permutations = 19;
  options.bootstrap = 20;
  const Result result = run({}, options, {"", {"a", "b"}, {{"zebra", 50}}, {}})[0];
  EXPECT_EQ(result.intervals.at("dagger").method, "jackknife");
  EXPECT_EQ(result.intervals.at("tcav").method, "bootstrap");
  EXPECT_GT(result.intervals.at("dagger").standard_error, 0);
  EXPECT_LE(result.intervals.at("extrapolated").interval.high, 1);
}

}  // namespace
}  // namespace atcav
