#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/base/matrix.h"
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

struct Accuracy {
  double held_out = 0;  // balanced: the mean of the two classes' shares
  double auc = 0;
  double predicted = 0;  // balanced, from normals fitted to the held-out scores
  double threshold = 0;  // η* of those normals
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
  double extrapolated = 0;
  Accuracy accuracy;
  Significance significance;
  stats::Profile profile;
  std::vector<double> sensitivities;
  std::vector<double> sensitivity_errors;
  std::vector<std::string> warnings;
};

// A file that went into the results.
struct Input {
  std::string role;  // "concept striped", "random", "gradients zebra"
  std::string path;
  std::string sha256;
  std::vector<Index> shape;
};

}  // namespace atcav::experiment
