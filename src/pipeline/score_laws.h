#pragma once

#include "pipeline/score_parts.h"

// What refits tell of the laws behind the scores: how many peaks they have, whether sensitivities are normal,
// and how the profile reads (atcav/result.h says what is what).
namespace atcav {

// `refits`: resamples × inputs. Skewness and kurtosis are of resampled means, so they fall as 1/√n and 1/n;
// with B resamples they are known to about √(6/B) and √(24/B) for each input.
ScoreLaws score_laws(const Vector& s, const Vector& errors, const Matrix& refits, const Rules& rules);

// α-TCAV averaged over CAVs for the rules that are a number of α, into what is known of the runs.
MultiTcav with_alpha_tcav(MultiTcav multi, const Matrix& runs, const Rules& rules);

// How a score depends on how steep the sigmoid is (paper, "Beyond scalar scores").
enum class ProfileReading {
  kRobust,     // every interval of the profile from α = 1 on lies on one side of ½
  kMarginal,   // some do, and all of them on one side
  kUndecided,  // none, or on both sides
};
std::string_view name(ProfileReading reading);  // "robust", "marginal", "undecided"
// Of a result with examples.
ProfileReading read_profile(const Result& result);

}  // namespace atcav
