#pragma once

#include <vector>

#include "atcav/matrix.h"
#include "atcav/score.h"
#include "fit/resampling.h"
#include "pass/projections.h"

// Do the concept's examples differ from random ones? If they did not, labels could be dealt anew: take the
// difference of means with permuted labels and compare |score - ½|. Unlike the usual t-test over runs that
// share the concept's examples, this keeps its level (docs/theory/significance.md).
//
// The null hypothesis says nothing of how a CAV is fitted, and neither does the test: ridge, logistic and svm
// share the one of their rows' means. Fitted again on dealt labels they would cost hundreds of fits that know
// nothing to start from, and an svm of unequal sets can collapse to w = 0.
//
// Every labelling is scored with one and the same sigmoid: where the rule normalises by γ or by the spread,
// the scale here is the root mean square of all sensitivities of all labellings, which does not know which
// labelling is the real one, so the test stays exact. Normalising each labelling by itself would throw away
// how large its sensitivities are: where gradients of a class point the same way, as they do in late layers,
// any direction at all then scores near 0 or 1, and no concept could ever stand out.
namespace atcav::fit {

// The concept's rows of relabelling k, out of `all`: those of the concept's name alone (options.key),
// whatever the class and the layer. Paired: of each pair one or the other.
RowNumbers dealt_rows(Index all, Index concept_rows, Index k, const ResamplingOptions& options);

// dealt_rows of relabellings 0 … count-1, for tests that share them.
std::vector<RowNumbers> deal_rows(Index all, Index concept_rows, Index count,
                                  const ResamplingOptions& options);

// (1 + #{|T_k - ½| ≥ |T - ½|}) / (1 + count), T_k with labels dealt anew among all rows, sizes kept.
double permutation_p(const MeanRefitter& means, const stats::ScoreRule& rule, Index count,
                     const ResamplingOptions& options);
// The same from sensitivities that are there: MeanRefitter::relabelled, relabellings × inputs, and those of
// the labels as they are.
double permutation_p(const Matrix& relabelled, const Vector& full, const stats::ScoreRule& rule, int threads);

// The same after a moments-only pass, where rows are gone: with very many examples the permuted
// sensitivities of pattern and fast are normal with mean 0 and covariance C(1/n₁ + 1/n₂), C the
// covariance of all examples together. Both sets must carry their covariance. `fast`: the rule may know the
// sensitivities' scale (analytic σ), so fast's factor matters.
double gaussian_permutation_p(const pass::Projections& random, const pass::Projections& concept_set,
                              bool fast, const stats::ScoreRule& rule, Index count,
                              const ResamplingOptions& options);

}  // namespace atcav::fit
