#include "pipeline/analyse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/random.h"

namespace atcav {
namespace {

struct Data {
  MatrixF random = Stream(1).normal_matrix(60, 30).cast<float>();
  MatrixF positive = (Stream(2).normal_matrix(40, 30).array() + 0.4).cast<float>();
  MatrixF unrelated = Stream(3).normal_matrix(30, 30).cast<float>();
  MatrixF gradients = (Stream(4).normal_matrix(50, 30).array() + 0.3).cast<float>();
};

LayerData layer_of(const Data& data, const Options& options, const LayerNames& names) {
  pass::MatrixSource random("random", data.random);
  pass::MatrixSource positive("a", data.positive);
  pass::MatrixSource unrelated("b", data.unrelated);
  LayerData layer{names, data.gradients, {}, {}};
  layer.pass = pass::run_pass(layer.gradients, {&random, &positive, &unrelated},
                              pass_options(checked(options), data.unrelated.rows()));
  return layer;
}

RunResult analysed(const LayerData& layer, const Options& options, bool keep_cavs = false) {
  RunInfo about;
  about.options = options;
  return analyse({&layer, 1}, about, {}, keep_cavs);
}

std::vector<Result> run(const Data& data, const Options& options, const LayerNames& names) {
  return analysed(layer_of(data, options, names), options).results;
}

TEST(Analyse, ConceptsWithinClasses) {
  const std::vector<Result> results = run({}, {}, {"layer3", {"a", "b"}, {{"zebra", 20}, {"horse", 30}}, {}});
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[1].concept_name, "b");
  EXPECT_EQ(results[1].class_name, "zebra");
  EXPECT_EQ(results[2].class_name, "horse");
  EXPECT_EQ(results[2].n_class, 30);
  EXPECT_EQ(results[2].layer, "layer3");
  EXPECT_EQ(results[0].examples->n_random, 60);
  EXPECT_EQ(results[0].examples->n_concept, 40);
  EXPECT_GT(results[0].alpha_tcav.at("dagger"), results[1].alpha_tcav.at("dagger"));
  EXPECT_GT(results[0].examples->accuracy.held_out, 0.7);
}

TEST(Analyse, CosinesAreOfTheMethodAskedFor) {
  const LayerNames names{"layer3", {"a", "b"}, {{"zebra", 50}}, {}};
  const Data data;
  for (const stats::CavMethod method : {stats::CavMethod::kPattern, stats::CavMethod::kRidge}) {
    Options options;
    options.cav.method = method;
    const Entanglement found = analysed(layer_of(data, options, names), options).entanglement.at(0);
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

// Gradients that agree: S̄/sd is large for any direction, and only the baseline tells an aligned one from
// others.
TEST(Analyse, GivenDirectionsAreTestedOverInputs) {
  LayerData layer;
  layer.names = {"layer3", {"aligned", "other"}, {{"zebra", 50}}, {}};
  layer.gradients = (Stream(4).normal_matrix(50, 30).array() + 2).cast<float>();
  layer.directions = Stream(6).normal_matrix(2, 30);
  layer.directions.row(0).setConstant(3);
  const RunResult found = analysed(layer, {});
  const Result& aligned = found.results.at(0);
  const Result& other = found.results.at(1);
  ASSERT_TRUE(aligned.given && other.given);
  EXPECT_FALSE(aligned.examples);
  EXPECT_DOUBLE_EQ(aligned.given->bonferroni, std::min(1.0, 2 * aligned.effect.p));
  EXPECT_DOUBLE_EQ(aligned.corrected_p(), aligned.given->bonferroni);
  EXPECT_LT(aligned.given->baseline.p, 1e-10);
  EXPECT_DOUBLE_EQ(aligned.given->baseline.bonferroni, 2 * aligned.given->baseline.p);
  EXPECT_GT(other.given->baseline.p, 0.05);
  // Mean gradient 2 in each of 30 columns, give or take 1/√50; |w| = 3·√30: 3·2·√30.
  EXPECT_NEAR(aligned.given->baseline.logits, 6 * std::sqrt(30.0), 0.05 * 6 * std::sqrt(30.0));
  EXPECT_EQ(aligned.given->baseline.drawn, 1000);
  EXPECT_GT(aligned.given->baseline.significant, 0.7) << "nearly every direction has a small p";
  EXPECT_EQ(aligned.given->baseline.significant, other.given->baseline.significant);
}

TEST(Analyse, CosinesOfVeryManyDirectionsAreLeftOut) {
  LayerData layer;
  layer.names = {"layer3", {}, {{"zebra", 5}}, {}};
  layer.gradients = Stream(4).normal_matrix(5, 3).cast<float>();
  layer.directions = Stream(6).normal_matrix(1001, 3);
  for (int i = 0; i < 1001; ++i) layer.names.concepts.push_back(std::to_string(i));
  const RunResult found = analysed(layer, {});
  EXPECT_TRUE(found.entanglement.empty());
  EXPECT_THAT(found.notes, testing::Contains(testing::HasSubstr("cosines between 1001 directions")));
  EXPECT_EQ(found.results.size(), 1001U);
}

// The profile's stop at α = 1 has the interval that the score for α = 1 has.
TEST(Analyse, ProfilesHaveIntervals) {
  for (const IntervalMethod method : {IntervalMethod::kDelta, IntervalMethod::kBootstrap}) {
    Options options;
    options.interval = method;
    const Result result = run({}, options, {"", {"a", "b"}, {{"zebra", 50}}, {}})[0];
    ASSERT_EQ(result.examples->profile_intervals.size(), result.profile.alpha.size());
    ASSERT_EQ(result.profile.alpha[10], 1);
    EXPECT_NEAR(result.examples->profile_intervals[10].low, result.intervals.at("1").interval.low, 1e-12);
    EXPECT_NEAR(result.examples->profile_intervals[10].high, result.intervals.at("1").interval.high, 1e-12);
    // Steep ones are bootstrapped; the closed form would reach over most of [0, 1], and the bound for TCAV is
    // wider.
    EXPECT_GE(result.examples->profile_intervals[30].low, result.intervals.at("tcav").interval.low);
    EXPECT_LE(result.examples->profile_intervals[30].high, result.intervals.at("tcav").interval.high);
    EXPECT_LE(result.examples->profile_intervals[30].high - result.examples->profile_intervals[30].low, 0.3);
  }
}

// A class on its own gives the numbers it gives among others.
TEST(Analyse, ClassesDoNotTouchEachOther) {
  Data data;
  const Result together = run(data, {}, {"", {"a", "b"}, {{"zebra", 20}, {"horse", 30}}, {}})[2];
  const MatrixF horses = data.gradients.bottomRows(30);
  data.gradients = horses;
  const Result alone = run(data, {}, {"", {"a", "b"}, {{"horse", 30}}, {}})[0];
  EXPECT_EQ(together.tcav, alone.tcav);
  EXPECT_NEAR(together.alpha_tcav.at("dagger"), alone.alpha_tcav.at("dagger"), 1e-12);
  EXPECT_EQ(together.examples->significance.differs_p, alone.examples->significance.differs_p);
  EXPECT_NEAR(together.effect.p, alone.effect.p, 1e-12);
  EXPECT_NEAR(together.examples->shared_posterior, alone.examples->shared_posterior, 1e-12);
  EXPECT_EQ(together.examples->multi.scores, alone.examples->multi.scores);
}

TEST(Analyse, MomentsOnlyGivesTheSameScoresAndErrors) {
  Options moments;
  moments.moments_only = true;
  const LayerNames names{"", {"a", "b"}, {{"zebra", 50}}, {}};
  const Result rows = run({}, {}, names)[0];
  const Result blocks = run({}, moments, names)[0];
  EXPECT_EQ(rows.examples->n_concept, blocks.examples->n_concept);
  EXPECT_NEAR(rows.magnitude, blocks.magnitude, 1e-9);
  EXPECT_NEAR(rows.alpha_tcav.at("dagger"), blocks.alpha_tcav.at("dagger"), 1e-9);
  EXPECT_NEAR(rows.examples->empirical_bayes, blocks.examples->empirical_bayes, 1e-9);
  EXPECT_NEAR(rows.intervals.at("dagger").standard_error, blocks.intervals.at("dagger").standard_error, 1e-9);
  EXPECT_EQ(rows.examples->accuracy.held_out, blocks.examples->accuracy.held_out);
}

TEST(Analyse, FittedMethodsHaveJackknifeErrors) {
  Options options;
  options.cav.method = stats::CavMethod::kRidge;
  options.permutations = 19;
  options.bootstrap = 20;
  const Result result = run({}, options, {"", {"a", "b"}, {{"zebra", 50}}, {}})[0];
  EXPECT_EQ(result.intervals.at("dagger").kind, IntervalKind::kJackknife);
  EXPECT_EQ(result.intervals.at("tcav").kind, IntervalKind::kBound);
  EXPECT_GT(result.effect.error_examples, 0);
  EXPECT_EQ(result.effect.error_concept, 0) << "a jackknife leaves out rows of both sets at once";
  EXPECT_GT(result.intervals.at("dagger").standard_error, 0);
  EXPECT_LE(result.intervals.at("extrapolated").interval.high, 1);
}

TEST(Analyse, CavsAreKeptWhereAskedFor) {
  const Data data;
  const LayerNames names{"layer3", {"a", "b"}, {{"zebra", 50}}, {}};
  for (const stats::CavMethod method :
       {stats::CavMethod::kPattern, stats::CavMethod::kFast, stats::CavMethod::kRidge}) {
    Options options;
    options.cav.method = method;
    options.bootstrap = options.permutations = 9;
    const RunResult found = analysed(layer_of(data, options, names), options, true);
    ASSERT_EQ(found.cavs.size(), 1U);
    const Vector expected =
        stats::fit_cav(data.random.cast<double>(), data.unrelated.cast<double>(), options.cav).direction;
    // Saved as float32.
    EXPECT_LT((found.cavs[0].directions.row(1).cast<double>().transpose() - expected).norm(),
              1e-6 * expected.norm());
    EXPECT_TRUE(analysed(layer_of(data, options, names), options).cavs.empty());
  }
}

// Directions that were given, handed back from an analysis: the same sensitivities, and nothing that needs
// the examples.
TEST(Analyse, GivenDirections) {
  const Data data;
  const LayerNames names{"layer3", {"a", "b"}, {{"zebra", 20}, {"horse", 30}}, {}};
  const RunResult whole = analysed(layer_of(data, {}, names), {}, true);
  LayerData given{names, data.gradients, {}, whole.cavs[0].directions.cast<double>()};
  Options options;
  options.threads = 1;
  const RunResult one = analysed(given, options);
  options.threads = 3;
  const RunResult three = analysed(given, options);
  ASSERT_EQ(one.results.size(), whole.results.size());
  for (std::size_t i = 0; i < one.results.size(); ++i) {
    EXPECT_EQ(one.results[i].concept_name, whole.results[i].concept_name);
    EXPECT_EQ(one.results[i].class_name, whole.results[i].class_name);
    EXPECT_EQ(one.results[i].sensitivities, three.results[i].sensitivities);
    EXPECT_FALSE(one.results[i].examples.has_value());
    for (std::size_t j = 0; j < one.results[i].sensitivities.size(); ++j) {
      EXPECT_NEAR(one.results[i].sensitivities[j], whole.results[i].sensitivities[j],
                  1e-6 * whole.results[i].gamma);
    }
  }
  EXPECT_NEAR(one.entanglement[0].cosines(0, 1), whole.entanglement[0].cosines(0, 1), 1e-6);
  EXPECT_TRUE(one.notes.empty());
}

// Two layers, two tests each: Bonferroni counts all four.
TEST(Analyse, CorrectsTheTestOfUseOverAllLayers) {
  const Options options;
  std::vector<LayerData> layers;
  for (const char* name : {"one", "two"})
    layers.push_back(layer_of({}, options, {name, {"a", "b"}, {{"zebra", 50}}, {}}));
  RunInfo about;
  about.options = options;
  const RunResult found = analyse(layers, about);
  ASSERT_EQ(found.results.size(), 4U);
  for (const Result& result : found.results) {
    const Significance& p = result.examples->significance;
    EXPECT_DOUBLE_EQ(p.bonferroni, std::min(1.0, 4 * p.use_p));
  }
  layers[1].names.layer = "one";
  EXPECT_THROW(analyse(layers, about), std::invalid_argument);
}

}  // namespace
}  // namespace atcav
