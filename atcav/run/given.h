#pragma once

#include <map>
#include <string>
#include <vector>

#include "atcav/run/directions.h"
#include "atcav/run/options.h"
#include "atcav/stats/interval.h"
#include "atcav/stats/score.h"

// Scores of directions that are given instead of found from examples: what `atcav run --cavs` does.
//
// From a direction w and the class's gradients z_j come the sensitivities S_j = z_j·w and every score of
// them. Where w comes from is not known, so neither is its noise, and what rests on it is missing: α* and α†,
// Multi-TCAV, posteriors, accuracy, p-values.
//
// The intervals here are T ± Φ⁻¹((1+level)/2) sd_j/√m, cut to [0, 1], for the m terms a score is the mean of:
// the error from having drawn these m inputs, w and γ being held fixed. They hold nothing else.
namespace atcav {

struct InputsInterval {
  stats::Interval interval;
  double standard_error = 0;  // sd_j/√m; 0 for one input and where all inputs agree
};

// One direction for one class at one layer; fields as in Result.
struct GivenScore {
  std::string concept_name;
  std::string class_name;
  std::string layer;
  Index dimension = 0;
  Index n_class = 0;
  double tcav = 0;
  double magnitude = 0;
  double zero_share = 0;
  double gamma = 0;
  std::map<std::string, double> alpha_tcav;  // "1", "3" and the numbers asked for
  std::string headline;
  std::map<std::string, InputsInterval> intervals;  // by key of alpha_tcav, and "tcav"
  stats::Profile profile;
  std::vector<double> sensitivities;
  std::vector<std::string> warnings;
};

struct GivenClass {
  std::string name;
  Index inputs = 0;  // rows of the gradients, classes below each other
};

// As checked(); star and dagger are std::invalid_argument too.
Options checked_for_given(const Options& options);

// Every direction for every class: classes in order, concepts within. `options` are checked.
std::vector<GivenScore> score_given(const LayerDirections& directions, const MatrixFRef& gradients,
                                    const std::vector<GivenClass>& classes, const Options& options);

}  // namespace atcav
