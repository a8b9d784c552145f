#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "atcav/report.h"
#include "report/testing_results.h"

namespace atcav::report {
namespace {

RunResult example() {
  Result result = example_result("str\"iped\xff");
  result.intervals["dagger"] = {{0.6, 0.8}, IntervalKind::kDelta, 0.05};
  result.examples->alpha_star = std::numeric_limits<double>::infinity();
  result.error_inputs = 0.01;
  RunResult run;
  run.command = "score";
  run.options.seed = 7;
  run.inputs.push_back({Role::Kind::kRandom, "r.npy", "ab", {3, 4}});
  run.results.push_back(result);
  run.seconds.emplace_back("pass", 1.5);
  return run;
}

TEST(ResultsJson, HoldsTheContract) {
  const auto json = nlohmann::json::parse(results_json(example()));
  EXPECT_EQ(json["command"], "score");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["inputs"][0]["shape"], (std::vector<int>{3, 4}));
  const auto& result = json["results"][0];
  for (const char* key : {"concept",
                          "class",
                          "layer",
                          "cav",
                          "d",
                          "n_concept",
                          "n_random",
                          "n_class",
                          "tcav",
                          "magnitude",
                          "zero_share",
                          "gamma",
                          "effect",
                          "sigma_effective",
                          "alpha",
                          "alpha_tcav",
                          "posterior",
                          "multi_tcav",
                          "interval",
                          "standard_error",
                          "extrapolated",
                          "accuracy",
                          "significance",
                          "profile",
                          "sensitivities",
                          "warnings"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  EXPECT_EQ(result["interval"]["of"], "dagger");
  EXPECT_EQ(result["interval"]["low"], 0.6);
  EXPECT_EQ(result["standard_error"]["cav"], 0.05);
  EXPECT_EQ(result["standard_error"]["inputs"], 0.01);
  for (const char* key : {"logits", "low", "high", "d", "d_low", "d_high", "error", "df"})
    EXPECT_TRUE(result["effect"].contains(key)) << key;
  for (const char* key : {"use_p", "bonferroni", "benjamini_hochberg", "differs_p", "welch_p"})
    EXPECT_TRUE(result["significance"].contains(key)) << key;
  for (const char* key : {"flat", "empirical_bayes", "shared"})
    EXPECT_TRUE(result["posterior"].contains(key)) << key;
  for (const char* key : {"held_out", "low", "high", "auc", "auc_low", "auc_high", "approximate"})
    EXPECT_TRUE(result["accuracy"].contains(key)) << key;
  EXPECT_FALSE(result.contains("intervention")) << "arrays have no network";
}

TEST(ResultsJson, HoldsInterventions) {
  RunResult run = example();
  Intervention& found = run.results[0].intervention.emplace();
  found.of_class.inputs = 30;
  found.of_class.odd = {0.1, 0.5, 1};
  found.of_class.rank = {1, 1, 2};
  found.classes = 1000;
  run.speaks_for = {{"striped", "layer3", {{340, "zebra", 3.9}}, {{7, "", -2}}}};
  const auto json = nlohmann::json::parse(results_json(run));
  const auto& response = json["results"][0]["intervention"]["class"];
  EXPECT_EQ(response["dose"], (std::vector<double>{0.1, 0.5, 1}));
  EXPECT_EQ(response["rank"], (std::vector<int>{1, 1, 2}));
  EXPECT_EQ(json["results"][0]["intervention"]["classes"], 1000);
  EXPECT_FALSE(json["results"][0]["intervention"].contains("random"));
  EXPECT_EQ(json["speaks_for"][0]["most"][0],
            (nlohmann::json{{"class", 340}, {"name", "zebra"}, {"odd", 3.9}}));
  EXPECT_EQ(json["speaks_for"][0]["least"][0]["class"], 7);
}

TEST(ResultsJson, GivenDirectionsHaveTheSameKeysButForExamples) {
  const auto json = nlohmann::json::parse(results_json(example_given_run()));
  EXPECT_EQ(json["command"], "run");
  ASSERT_EQ(json["results"].size(), 2U);
  const auto& given = json["results"][0];
  EXPECT_EQ(given["concept"], "striped");
  EXPECT_EQ(given["cav"], "given");
  EXPECT_EQ(given["interval"]["of"], "1");
  EXPECT_EQ(given["interval"]["method"], "inputs");
  EXPECT_EQ(given["intervals"]["1"]["high"], 0.67);
  EXPECT_EQ(given["profile"]["alpha"].size(), 31U);
  EXPECT_EQ(given["sensitivities"][1], 2);
  std::vector<std::string> missing;
  const auto known = nlohmann::json::parse(results_json(example()))["results"][0];
  for (const auto& [key, value] : known.items()) {
    if (!given.contains(key)) missing.push_back(key);
  }
  EXPECT_THAT(missing, testing::UnorderedElementsAre("n_concept", "n_random", "sigma_effective", "alpha",
                                                     "posterior", "multi_tcav", "extrapolated", "accuracy",
                                                     "held_out_scores", "some_inputs", "equivalence",
                                                     "sensitivity_errors", "laws", "stability"));
  EXPECT_EQ(given["significance"]["over"], "inputs");
  EXPECT_EQ(known["significance"]["over"], "examples and inputs");
  EXPECT_EQ(given["significance"]["use_p"], given["effect"]["inputs_p"]);
  EXPECT_EQ(given["baseline"]["drawn"], 1000);
  EXPECT_FALSE(given["standard_error"].contains("cav"));
  EXPECT_FALSE(given["profile"].contains("low"));
}

TEST(ResultsJson, OptionsAreThoseOfTheTableThatAreRecorded) {
  RunResult run = example();
  run.options.moments_only = true;
  run.options.alpha = {3, Alpha::Kind::kStar};
  run.options.cav.lambda = 0.25;
  const auto options = nlohmann::json::parse(results_json(run))["options"];
  EXPECT_EQ(options["moments"], true);
  EXPECT_EQ(options["alpha"], (std::vector<std::string>{"3", "star"}));
  EXPECT_EQ(options["lambda"], 0.25);
  EXPECT_EQ(options["cav"], "pattern");
  EXPECT_FALSE(options.contains("threads")) << "never changes a result";
}

TEST(ResultsJson, HoldsWhatChartsNeed) {
  RunResult run = example();
  Accuracy& accuracy = run.results[0].examples->accuracy;
  accuracy.random = {-1, 4};
  accuracy.concept_scores = {0.5, 1.5};
  run.results[0].profile = {{0.1, 1}, {0.5, 0.6}};
  run.results[0].examples->profile_intervals = {{0.4, 0.6}, {0.5, 0.7}};
  run.entanglement.push_back({"layer3", {"a", "b"}, Matrix{{1, 0.25}, {0.25, 1}}});
  const auto json = nlohmann::json::parse(results_json(run));
  const auto& result = json["results"][0];
  EXPECT_EQ(result["accuracy"]["random"], (nlohmann::json{{"mean", -1}, {"sd", 2}}));
  EXPECT_EQ(result["held_out_scores"]["concept"], (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(result["profile"]["low"], (std::vector<double>{0.4, 0.5}));
  EXPECT_EQ(result["profile"]["high"], (std::vector<double>{0.6, 0.7}));
  EXPECT_EQ(json["entanglement"][0]["layer"], "layer3");
  EXPECT_EQ(json["entanglement"][0]["cosines"][1], (std::vector<double>{0.25, 1}));
}

TEST(ResultsJson, NeverWritesInfinityOrBrokenText) {
  const std::string text = results_json(example());
  const auto json = nlohmann::json::parse(text);
  EXPECT_TRUE(json["results"][0]["alpha"]["star"].is_null());
  EXPECT_EQ(json["results"][0]["concept"], "str\"iped\xEF\xBF\xBD");
  EXPECT_EQ(text.find("pass"), std::string::npos) << "times belong in timings.json";
}

TEST(TimingsJson, HoldsTheStages) {
  EXPECT_EQ(nlohmann::json::parse(timings_json(example()))["seconds"]["pass"], 1.5);
}

TEST(TimingsJson, HasTheRemarksThatResultsMustNotHave) {
  RunResult run = example();
  const std::string before = results_json(run);
  run.remarks = {"damaged \xFF"};
  EXPECT_EQ(nlohmann::json::parse(timings_json(run))["remarks"][0], "damaged \xEF\xBF\xBD");
  EXPECT_EQ(results_json(run), before);
}

}  // namespace
}  // namespace atcav::report
