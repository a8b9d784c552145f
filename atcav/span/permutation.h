#pragma once

#include "atcav/base/matrix.h"
#include "atcav/span/projections.h"
#include "atcav/span/resampling.h"
#include "atcav/stats/score.h"

// Is the score different from ½ by more than chance? If the concept's examples were random ones, their
// labels could be dealt anew: refit with permuted labels and compare |score - ½|. Unlike the usual
// t-test over runs that share the concept's examples, this keeps its level (docs/theory/significance.md).
//
// Every labelling is scored with one and the same sigmoid: where the rule normalises by γ or by the spread,
// the scale here is the root mean square of all sensitivities of all labellings, which does not know which
// labelling is the real one, so the test stays exact. Normalising each labelling by itself would throw away
// how large its sensitivities are: where gradients of a class point the same way, as they do in late layers,
// any direction at all then scores near 0 or 1, and no concept could ever stand out.
namespace atcav::span {

// (1 + #{|T_k - ½| ≥ |T - ½|}) / (1 + count) of the refits of a permutation_drawing and the full fit.
double permutation_p(const Matrix& refits, const Vector& full, const stats::ScoreRule& rule, int threads);
double permutation_p(const Refitter& refitter, const stats::ScoreRule& rule, Index count,
                     const ResamplingOptions& options);

// The same after a moments-only pass, where rows are gone: with very many examples the permuted
// sensitivities of pattern and fast are normal with mean 0 and covariance C(1/n₁ + 1/n₂), C the
// covariance of all examples together. Both sets must carry their covariance. `fast`: the rule may know the
// sensitivities' scale (analytic σ), so fast's factor matters.
double gaussian_permutation_p(const Projections& random, const Projections& concept_set, bool fast,
                              const stats::ScoreRule& rule, Index count, const ResamplingOptions& options);

}  // namespace atcav::span
