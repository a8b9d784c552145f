#pragma once

#include <string>

#include "atcav/run/score.h"

// Scores of given directions for the tests of this room.
namespace atcav::report {

// Along the direction three of four inputs go up: 0.61, 95 % interval 0.55–0.67.
inline GivenScore example_given(const std::string& concept_name = "striped",
                                            const std::string& layer = "layer3") {
  const LayerDirections along = {layer, {concept_name}, Matrix{{1}}};
  GivenScore given = score_given(
      along, MatrixF{{1.5F}, {2}, {-0.1F}, {0.7F}}, {{"zebra", 4}}, checked_for_given({}))[0];
  given.alpha_tcav["1"] = 0.61;
  given.intervals["1"] = {{0.55, 0.67}, 0.03};
  return given;
}

inline RunResult example_given_scored() {
  RunResult scored;
  scored.options = checked({});
  scored.given = {example_given("striped"), example_given("dotted")};
  scored.notes = {"directions were given"};
  scored.inputs = {{"cavs", "cavs.safetensors", "ab12", {}}};
  return scored;
}

}  // namespace atcav::report
