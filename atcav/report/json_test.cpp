#include "atcav/report/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "atcav/report/testing_given.h"

namespace atcav::report {
namespace {

RunResult example() {
  Result result;
  result.concept_name = "str\"iped\xff";
  result.headline = "dagger";
  result.alpha_tcav["dagger"] = 0.7;
  result.intervals["dagger"] = {{0.6, 0.8}, "delta", 0.05};
  result.alpha_star = std::numeric_limits<double>::infinity();
  result.alpha_dagger = 2;
  result.error_inputs = 0.01;
  result.sensitivities = {1.5, -0.1};
  RunResult scored;
  scored.options.seed = 7;
  scored.inputs.push_back({"random", "r.npy", "ab", {3, 4}});
  scored.results.push_back(result);
  scored.seconds.emplace_back("pass", 1.5);
  return scored;
}

TEST(ResultsJson, HoldsTheContract) {
  const auto json = nlohmann::json::parse(results_json("score", example()));
  EXPECT_EQ(json["command"], "score");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["inputs"][0]["shape"], (std::vector<int>{3, 4}));
  const auto& result = json["results"][0];
  for (const char* key :
       {"concept",         "class",        "layer",      "cav",          "d",          "n_concept",
        "n_random",        "n_class",      "tcav",       "magnitude",    "zero_share", "gamma",
        "sigma_effective", "alpha",        "alpha_tcav", "posterior",    "multi_tcav", "interval",
        "standard_error",  "extrapolated", "accuracy",   "significance", "profile",    "sensitivities",
        "warnings"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  EXPECT_EQ(result["interval"]["of"], "dagger");
  EXPECT_EQ(result["interval"]["low"], 0.6);
  EXPECT_EQ(result["standard_error"]["cav"], 0.05);
  EXPECT_EQ(result["standard_error"]["inputs"], 0.01);
}

TEST(ResultsJson, GivenDirectionsBesideNoResults) {
  const auto json = nlohmann::json::parse(results_json("run", example_given_scored()));
  EXPECT_TRUE(json["results"].empty());
  ASSERT_EQ(json["given"].size(), 2U);
  const auto& given = json["given"][0];
  EXPECT_EQ(given["concept"], "striped");
  EXPECT_EQ(given["headline"], "1");
  EXPECT_EQ(given["intervals"]["1"]["method"], "inputs");
  EXPECT_EQ(given["intervals"]["1"]["high"], 0.67);
  EXPECT_EQ(given["profile"]["alpha"].size(), 31U);
  EXPECT_EQ(given["sensitivities"][1], 2);
  for (const char* unknown : {"accuracy", "significance", "multi_tcav", "alpha", "posterior"})
    EXPECT_FALSE(given.contains(unknown)) << unknown;
  EXPECT_FALSE(nlohmann::json::parse(results_json("score", example())).contains("given"));
}

TEST(ResultsJson, HoldsWhatChartsNeed) {
  RunResult scored = example();
  Accuracy& accuracy = scored.results[0].accuracy;
  accuracy.random = {-1, 4};
  accuracy.concept_scores = {0.5, 1.5};
  scored.results[0].profile = {{0.1, 1}, {0.5, 0.6}};
  scored.results[0].profile_intervals = {{0.4, 0.6}, {0.5, 0.7}};
  scored.entanglement.push_back({"layer3", {"a", "b"}, Matrix{{1, 0.25}, {0.25, 1}}});
  const auto json = nlohmann::json::parse(results_json("score", scored));
  const auto& result = json["results"][0];
  EXPECT_EQ(result["accuracy"]["random"], (nlohmann::json{{"mean", -1}, {"sd", 2}}));
  EXPECT_EQ(result["held_out_scores"]["concept"], (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(result["profile"]["low"], (std::vector<double>{0.4, 0.5}));
  EXPECT_EQ(result["profile"]["high"], (std::vector<double>{0.6, 0.7}));
  EXPECT_EQ(json["entanglement"][0]["layer"], "layer3");
  EXPECT_EQ(json["entanglement"][0]["cosines"][1], (std::vector<double>{0.25, 1}));
}

TEST(ResultsJson, NeverWritesInfinityOrBrokenText) {
  const std::string text = results_json("score", example());
  const auto json = nlohmann::json::parse(text);
  EXPECT_TRUE(json["results"][0]["alpha"]["star"].is_null());
  EXPECT_EQ(json["results"][0]["concept"], "str\"iped\xEF\xBF\xBD");
  EXPECT_EQ(text.find("pass"), std::string::npos) << "times belong in timings.json";
}

TEST(TimingsJson, HoldsTheStages) {
  EXPECT_EQ(nlohmann::json::parse(timings_json(example()))["seconds"]["pass"], 1.5);
}

TEST(TimingsJson, HasTheRemarksThatResultsMustNotHave) {
  RunResult scored = example();
  const std::string before = results_json("run", scored);
  scored.remarks = {"damaged \xFF"};
  EXPECT_EQ(nlohmann::json::parse(timings_json(scored))["remarks"][0], "damaged \xEF\xBF\xBD");
  EXPECT_EQ(results_json("run", scored), before);
}

}  // namespace
}  // namespace atcav::report
