#pragma once

#include <string>
#include <vector>

#include "atcav/theory.h"

// The data that `atcav theory ridge` predicts for, as YAML:
//
//   d: 100
//   n_random: 500
//   n_concept: 100
//   lambda: [0.1, 1, 10]              # or one number
//   random:
//     mean: 0.1                       # every entry, or a list of d numbers, or an array file
//     covariance: {toeplitz: 0.2}     # ρ^|i-j|; or a number v (v·I), d numbers (diagonal), a d × d list
//   concept:
//     mean: concept_mean.npy          # .npy or .safetensors[:tensor], beside the description
//     covariance: concept_covariance.npy
//
// Every key is needed; one that is not listed here is an error, so a misspelling is not a silent default.
namespace atcav::cli {

struct RidgeDescription {
  stats::TwoClasses classes;
  std::vector<double> lambdas;
};

// `folder` is where relative array files are looked for. Throws std::runtime_error naming the key and line.
RidgeDescription parse_ridge_description(const std::string& yaml, const std::string& folder);
RidgeDescription read_ridge_description(const std::string& path);

}  // namespace atcav::cli
