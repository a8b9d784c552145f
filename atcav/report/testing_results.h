#pragma once

#include <string>

#include "atcav/run/score.h"
#include "atcav/stats/alpha.h"

// Results for the tests of this room.
namespace atcav::report {

// A concept that matters clearly: score 0.91, interval 0.86–0.95, p 0.001 corrected, accuracy 0.97.
inline Result example_result(const std::string& concept_name = "striped",
                                         const std::string& layer = "layer3") {
  Result result;
  result.concept_name = concept_name;
  result.class_name = "zebra";
  result.layer = layer;
  result.cav = "pattern";
  result.headline = "dagger";
  result.sensitivities = {1.5, 2, -0.1, 0.7};
  const Vector s = Eigen::Map<const Vector>(result.sensitivities.data(), 4);
  result.gamma = stats::root_mean_square(s);
  result.profile = stats::sensitivity_profile(s);
  result.profile_intervals.assign(result.profile.alpha.size(), {0.5, 0.9});
  result.alpha_tcav = {{"1", 0.7}, {"3", 0.8}, {"star", 0.85}, {"dagger", 0.91}};
  for (const char* key : {"1", "3", "star", "dagger", "tcav", "extrapolated"}) {
    result.intervals[key] = {{0.86, 0.95}, "delta", 0.02};
  }
  result.significance.bonferroni = 0.001;
  result.accuracy.held_out = 0.97;
  return result;
}

inline RunResult example_scored() {
  RunResult scored;
  scored.options = checked({});
  scored.results = {example_result("striped"), example_result("dotted")};
  return scored;
}

}  // namespace atcav::report
