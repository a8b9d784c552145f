#pragma once

#include "atcav/result.h"
#include "fit/fit_refitter.h"
#include "fit/resampling.h"
#include "pass/pass.h"

// Would other examples give the same direction? What the paper calls the variability of a CAV, Tr Cov(w),
// beside the length that it is a variance of.
//
// pattern and fast, in closed form from the squares and sums of a pass (rows counted as independent):
//   r = Tr Cov(w)/|w|² = (Tr Σ̂₁/n₁ + Tr Σ̂₂/n₂)/|x̄₂ - x̄₁|²,   the same for both methods.
// |w|² holds the noise too, so the expected cosine with the CAV of as many new examples is 1 - r.
//
// Fitted methods: the mean cosine c between fits on complementary halves of both sets. Halves have twice the
// noise, so with all examples it is 2c/(1 + c) (Spearman and Brown). A negative estimate is one of 0.
namespace atcav::fit {

DirectionStability mean_stability(const pass::Pass& pass, Index concept_set, Index random_set);
// kStabilitySplits pairs of halves, drawn as half_drawing does.
inline constexpr Index kStabilitySplits = 10;
DirectionStability fitted_stability(const FitRefitter& refitter, const ResamplingOptions& options);

}  // namespace atcav::fit
