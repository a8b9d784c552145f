#pragma once

#include "fit/fit_refitter.h"
#include "fit/resampling.h"
#include "pass/pass.h"

// Would other examples give the same direction? What the paper calls the variability of a CAV, Tr Cov(w),
// beside the length that it is a variance of.
namespace atcav::fit {

// pattern and fast, in closed form from the squares and sums of a pass (rows counted as independent):
//   r = Tr Cov(w)/|w|² = (Tr Σ̂₁/n₁ + Tr Σ̂₂/n₂)/|x̄₂ - x̄₁|²,   the same for both methods, at most 1.
// |w|² holds the noise too, so the expected cosine with the CAV of as many new examples is 1 - r.
double relative_variance(const pass::Pass& pass, Index concept_set, Index random_set);

// Fitted methods: the mean cosine between fits on complementary halves of both sets, drawn as half_drawing
// does.
double split_half_cosine(const FitRefitter& refitter, const ResamplingOptions& options);
inline constexpr Index kStabilitySplits = 10;
// Halves have twice the noise, so with all examples the expected cosine is 2c/(1 + c) (Spearman and Brown). A
// negative c is one of 0.
double full_cosine(double split_half);

}  // namespace atcav::fit
