#include "atcav/report/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace atcav::report {
namespace {

experiment::Scored example() {
  experiment::Result result;
  result.concept_name = "str\"iped\xff";
  result.headline = "dagger";
  result.alpha_tcav["dagger"] = 0.7;
  result.intervals["dagger"] = {{0.6, 0.8}, "delta", 0.05};
  result.alpha_star = std::numeric_limits<double>::infinity();
  result.alpha_dagger = 2;
  result.error_inputs = 0.01;
  result.sensitivities = {1.5, -0.1};
  experiment::Scored scored;
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

}  // namespace
}  // namespace atcav::report
