#include "report/result_fields.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "atcav/report.h"
#include "report/json_text.h"
#include "report/testing_results.h"

namespace atcav::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Erasure example_erasure() {
  Erasure erasure;
  erasure.inputs = 9;
  erasure.eraser = "pattern";
  erasure.change = -1.5;
  erasure.interval = {-2, -1};
  erasure.p = 0.01;
  erasure.top1_before = 0.9;
  erasure.control = {0.1, 0.2};
  return erasure;
}

// Every part that a result may have.
Result full_result() {
  Result result = example_result();
  result.tensor = "/layer3/Add";
  result.label = LabelFacts{true, 40, 1.5};
  result.joint =
      JointEffect{.effect = result.effect, .rows = 40, .encoding = LabelEncoding{0.3, {0.1, 0.5}, 40}};
  result.groups = GroupCounts{5, {}};
  result.negatives =
      stats::Negatives{60, {}, {{0, 1.2, {0.1, 2}}, {0.4, 0.6, {0, 1.2}}}, {{"a", 9, 1, {0, 2}, 0.1}}};
  result.top_share = 0.8;
  result.effect.standardised = {0.4, {0.2, 0.6}};
  result.effect.simultaneous = {0.5, 2.6};
  result.logits = LogitDifference{3, {2, 4}, 0.001, 1.5, 20, 30};
  DoseResponse response;
  response.odd = {0.1, 0.5, 1};
  response.low = {-kInfinity, 0, 0};
  response.high = {kInfinity, 1, 2};
  response.p = {1, 0.1, 0.01};
  response.even_low = response.even_high = response.low;
  response.rank = {1, 1, 2};
  result.intervention = Intervention{response, response, 1000, kInfinity};
  result.erasure = example_erasure();
  result.region = Region{1.5, 0.97, {0.94, 0.99}, 0.99, {0.98, 1}, 0.35, {0.28, 0.41}, {}};
  result.region->inputs = {0.9, {0.8, 0.95}, {1, 2, -0.5}, 0.83, {-kInfinity, kInfinity}, 0.01, 0.02, 0.015};
  result.verdict = {
      Use::kAgainst, "against", {{"adding", kInfinity, {-kInfinity, 1}, Use::kNoEvidence, "?"}}, false};
  result.warnings = {"few examples"};
  return result;
}

TEST(ResultJson, OfEveryPartIsReadAsItWasWritten) {
  const Result full = full_result();
  const Json json = result_json(full, 0.95);
  for (const char* key : {"tensor", "label", "joint", "groups", "negatives", "top_share", "logits",
                          "intervention", "erasure", "region"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(result_json(result_in(json), 0.95), json);
  // A label has nothing that rests on fits to parts of the examples; others have.
  EXPECT_FALSE(json.contains("accuracy"));
  Result fitted = full;
  fitted.label.reset();
  fitted.effect.d.reset();
  fitted.region->inputs.reset();
  const Json other = result_json(fitted, 0.95);
  EXPECT_EQ(other["accuracy"]["held_out"], 0.97);
  EXPECT_TRUE(other["effect"]["d"].is_null());
  EXPECT_FALSE(other["region"].contains("inputs"));
  EXPECT_EQ(result_json(result_in(other), 0.95), other);
  const Json given = result_json(example_given(), 0.95);
  EXPECT_EQ(result_json(result_in(given), 0.95), given);
}

TEST(ResultJson, WritesNullForInfinityAndReadsItOnItsSide) {
  const Result full = full_result();
  const Json json = result_json(full, 0.95);
  EXPECT_TRUE(json["region"]["inputs"]["low"].is_null());
  EXPECT_TRUE(json["intervention"]["class"]["low"][0].is_null());
  const Result back = result_in(json);
  EXPECT_EQ(back.region->inputs->interval.low, -kInfinity);
  EXPECT_EQ(back.region->inputs->interval.high, kInfinity);
  EXPECT_EQ(back.intervention->of_class.low[0], -kInfinity);
  EXPECT_EQ(back.intervention->of_class.high[0], kInfinity);
  EXPECT_EQ(back.effect.p, full.examples->significance.use_p);
}

TEST(ResultJson, TellsTheNumbersThatWouldDecideAndTakesTheFactorFromThem) {
  Result result = example_result();
  result.examples->n_concept = 40;
  result.examples->n_random = 60;
  result.n_class = 20;
  EXPECT_TRUE(result_json(result, 0.95)["equivalence"]["decides"].is_null());
  result.examples->equivalence.factor = 2.51;
  const Json json = result_json(result, 0.95);
  EXPECT_EQ(json["equivalence"]["decides"], (Json{{"n_concept", 101}, {"n_random", 151}, {"n_class", 51}}));
  EXPECT_EQ(result_json(result_in(json), 0.95), json);
  result.examples->equivalence.factor = 1e7;
  EXPECT_TRUE(result_json(result, 0.95)["equivalence"]["decides"].is_null());
}

TEST(ReadResults, GivesTheTextBack) {
  RunResult run = example_run();
  run.results[0] = full_result();
  run.setup = "model: m.onnx\n";
  run.notes = {"a note"};
  run.options.seed = 7;
  run.inputs = {{Role{Role::Kind::kConcept, "striped"}, "s.npy", "ab12", {3, 4}}};
  run.reading = Reading{0.2, 500, {{"random", 100, 500}}, true, 3, 1};
  run.speaks_for = {{"striped", "layer3", {{340, "zebra", 3.9}}, {{7, "", -2}}}};
  run.erased_together = {{"layer3", "zebra", {"striped", "dotted"}, example_erasure()}};
  run.entanglement.push_back({"layer3", {"a", "b"}, Matrix{{1, 0.25}, {0.5, 1}}});
  run.explained = {{"zebra",
                    "layer3",
                    200,
                    0.41,
                    {0.35, 0.47},
                    {0.04, 0.02},
                    0.63,
                    {{"striped", 0.3, {0.24, 0.36}}},
                    {"striped"}}};
  const std::string text = results_json(run);
  const RunResult back = read_results(text, "results.json");
  EXPECT_EQ(results_json(back), text);
  EXPECT_EQ(back.options.seed, 7U);
  EXPECT_EQ(back.explained[0].shapley[0].interval.high, 0.36);
  EXPECT_EQ(back.entanglement[0].cosines(1, 0), 0.5);
  EXPECT_EQ(results_json(read_results(results_json(example_given_run()), "")),
            results_json(example_given_run()));
}

TEST(ReadResults, NamesTheFileOfOtherText) {
  for (const std::string text : {"{", "{}", "[]"})
    EXPECT_THROW(read_results(text, "x.json"), std::runtime_error);
  std::string text = results_json(example_run());
  const std::string word = "\"none\"";
  text.replace(text.find(word), word.size(), "\"some\"");
  EXPECT_THROW(read_results(text, "x.json"), std::runtime_error);
}

}  // namespace
}  // namespace atcav::report
