#pragma once

#include <string>

#include "atcav/experiment/score.h"

// Scores of given directions for the tests of this room.
namespace atcav::report {

// Along the direction three of four inputs go up: 0.61, 95 % interval 0.55–0.67.
inline experiment::GivenScore example_given(const std::string& concept_name = "striped",
                                            const std::string& layer = "layer3") {
  const experiment::LayerDirections along = {layer, {concept_name}, Matrix{{1}}};
  experiment::GivenScore given = experiment::score_given(
      along, MatrixF{{1.5F}, {2}, {-0.1F}, {0.7F}}, {{"zebra", 4}}, experiment::checked_for_given({}))[0];
  given.alpha_tcav["1"] = 0.61;
  given.intervals["1"] = {{0.55, 0.67}, 0.03};
  return given;
}

inline experiment::Scored example_given_scored() {
  experiment::Scored scored;
  scored.options = experiment::checked({});
  scored.given = {example_given("striped"), example_given("dotted")};
  scored.notes = {"directions were given"};
  scored.inputs = {{"cavs", "cavs.safetensors", "ab12", {}}};
  return scored;
}

}  // namespace atcav::report
