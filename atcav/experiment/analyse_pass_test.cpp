#include "atcav/experiment/analyse_pass.h"

#include <gtest/gtest.h>

#include "atcav/base/random.h"

namespace atcav::experiment {
namespace {

struct Data {
  MatrixF random = Stream(1).normal_matrix(60, 30).cast<float>();
  MatrixF positive = (Stream(2).normal_matrix(40, 30).array() + 0.4).cast<float>();
  MatrixF unrelated = Stream(3).normal_matrix(30, 30).cast<float>();
  MatrixF gradients = (Stream(4).normal_matrix(50, 30).array() + 0.3).cast<float>();
};

std::vector<Result> run(const Data& data, Options options, const LayerNames& names) {
  options = checked(options);
  span::MatrixSource random("random", data.random);
  span::MatrixSource positive("a", data.positive);
  span::MatrixSource unrelated("b", data.unrelated);
  const span::Pass pass = span::run_pass(data.gradients, {&random, &positive, &unrelated},
                                         pass_options(options, data.unrelated.rows()));
  return analyse_pass(pass, data.gradients, names, options, [] {});
}

TEST(AnalysePass, ConceptsWithinClasses) {
  const std::vector<Result> results = run({}, {}, {"layer3", {"a", "b"}, {{"zebra", 20}, {"horse", 30}}});
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

// A class on its own gives the numbers it gives among others.
TEST(AnalysePass, ClassesDoNotTouchEachOther) {
  Data data;
  const Result together = run(data, {}, {"", {"a", "b"}, {{"zebra", 20}, {"horse", 30}}})[2];
  const MatrixF horses = data.gradients.bottomRows(30);
  data.gradients = horses;
  const Result alone = run(data, {}, {"", {"a", "b"}, {{"horse", 30}}})[0];
  EXPECT_EQ(together.tcav, alone.tcav);
  EXPECT_NEAR(together.alpha_tcav.at("dagger"), alone.alpha_tcav.at("dagger"), 1e-12);
  EXPECT_EQ(together.significance.permutation_p, alone.significance.permutation_p);
  EXPECT_EQ(together.multi.scores, alone.multi.scores);
}

TEST(AnalysePass, MomentsOnlyGivesTheSameScoresAndErrors) {
  Options moments;
  moments.moments_only = true;
  const LayerNames names{"", {"a", "b"}, {{"zebra", 50}}};
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
  const Result result = run({}, options, {"", {"a", "b"}, {{"zebra", 50}}})[0];
  EXPECT_EQ(result.intervals.at("dagger").method, "jackknife");
  EXPECT_EQ(result.intervals.at("tcav").method, "bootstrap");
  EXPECT_GT(result.intervals.at("dagger").standard_error, 0);
  EXPECT_LE(result.intervals.at("extrapolated").interval.high, 1);
}

}  // namespace
}  // namespace atcav::experiment
