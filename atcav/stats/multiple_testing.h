#pragma once

#include <vector>

// Correction over everything tested at once; the order of the results is the order of the arguments.
namespace atcav::stats {

// min(1, k·p) over k tests: no false alarm at all, with probability 1 - level.
std::vector<double> bonferroni(const std::vector<double>& p);
// Benjamini & Hochberg 1995, as adjusted p-values: the expected share of false alarms.
std::vector<double> benjamini_hochberg(const std::vector<double>& p);

}  // namespace atcav::stats
