#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/span/noise.h"
#include "atcav/stats/accuracy.h"
#include "atcav/stats/interval.h"
#include "atcav/stats/score.h"

// What is known of one concept, for one class, at one layer: plain data, written to results.json as it is.
namespace atcav::experiment {

struct MultiTcav {
  Index runs = 0;
  double mean = 0;
  double sd = 0;  // over runs, divisor runs-1
  std::vector<double> scores;
};

struct ScoreInterval {
  stats::Interval interval;
  std::string method;         // delta, jackknife or bootstrap
  double standard_error = 0;  // of the CAV's noise
};

// Balanced accuracy of a coin is ½; held-out sets of some dozens scatter by about 0.05.
inline constexpr double kHardlyEncoded = 0.6;

struct Accuracy {
  double held_out = 0;  // balanced: the mean of the two classes' shares
  double auc = 0;
  double predicted = 0;  // balanced, from normals fitted to the held-out scores
  double threshold = 0;  // η* of those normals
  stats::NormalLaw random;
  stats::NormalLaw of_concept;
  std::vector<double> random_scores;  // held out, at most about 200 of each set (span/held_out.h)
  std::vector<double> concept_scores;
};

struct Significance {
  double permutation_p = 1;
  double welch_p = 1;     // the field's test; overstates
  double bonferroni = 1;  // of permutation_p, over everything tested in the call
  double benjamini_hochberg = 1;
};

struct Result {
  std::string concept_name;
  std::string class_name;
  std::string layer;
  std::string cav;
  Index dimension = 0;
  Index n_concept = 0;
  Index n_random = 0;
  Index n_class = 0;

  double tcav = 0;
  double magnitude = 0;
  double zero_share = 0;
  double gamma = 0;
  double sigma_effective = 0;
  double alpha_star = 0;  // infinite when all sensitivities are equal
  double alpha_dagger = 0;
  std::map<std::string, double> alpha_tcav;  // "1", "3", "star", "dagger" and what was asked for
  double flat_posterior = 0;
  double empirical_bayes = 0;
  double tau_squared = 0;
  MultiTcav multi;

  std::string headline;                            // the key of alpha_tcav the report leads with
  std::map<std::string, ScoreInterval> intervals;  // by key of alpha_tcav, and "tcav", "extrapolated"
  double error_inputs = 0;                         // of the headline: from having drawn these inputs
  std::optional<span::ErrorParts> error_parts;     // of the headline's error, pattern and fast: for planning
  double extrapolated = 0;
  Accuracy accuracy;
  Significance significance;
  stats::Profile profile;
  std::vector<stats::Interval> profile_intervals;  // of each of its scores, at the level of intervals
  std::vector<double> sensitivities;
  std::vector<double> sensitivity_errors;
  std::vector<std::string> warnings;
};

// Cosines between the concepts' CAVs at a layer (span/entanglement.h).
struct Entanglement {
  std::string layer;
  std::vector<std::string> concepts;
  Matrix cosines;
};

// A file that went into the results.
struct Input {
  std::string role;  // "concept striped", "random", "gradients zebra"
  std::string path;
  std::string sha256;
  std::vector<Index> shape;
};

}  // namespace atcav::experiment
