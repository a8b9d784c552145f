#pragma once

#include "atcav/base/matrix.h"

// Area under the ROC curve: the probability that a concept row scores above a random row, ties counted
// half (Mann–Whitney U with average ranks). 1 is perfect, ½ is chance, below ½ the CAV points away.
// No threshold, no normality, no class weights enter. O(n log n).
namespace atcav::stats {

// At least one finite score in each; all scores equal gives ½.
double auc(const VectorRef& random_scores, const VectorRef& concept_scores);

}  // namespace atcav::stats
