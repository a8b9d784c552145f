#pragma once

#include "atcav/base/matrix.h"
#include "atcav/stats/score_rule.h"

// A score without its attenuation. CAV noise pulls scores towards ½, the more the fewer the examples, so
// concepts with few images look weaker than they are. The pull shrinks like 1/n, hence
//   T∞ = 2T - mean(T on random halves of both sets)
// removes most of it, for any method (docs/theory/interval.md).
namespace atcav::span {

// `halves`: sensitivities of half-sample refits, one a row. Cut to [0, 1].
double extrapolate(const VectorRef& full, const Matrix& halves, const stats::ScoreRule& rule);

}  // namespace atcav::span
