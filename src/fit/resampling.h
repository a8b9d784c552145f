#pragma once

#include <cstdint>

#include "atcav/matrix.h"
#include "atcav/score.h"
#include "fit/refit.h"

// Resampled examples to refit on. Each refit draws from a stream of its own, keyed by the seed, the concept
// and its number, so results do not depend on threads. Results are refits × inputs: row k holds the
// sensitivities of refit k.
namespace atcav::fit {

using stats::Split;

struct ResamplingOptions {
  std::uint64_t seed = 0;
  std::uint64_t key = 0;  // key_word of the concept's name
  int threads = 0;        // 0: all available
  bool paired = false;    // row i of both sets: both are drawn or neither
};

// Each drawing refers to the refitter, whose sizes it takes. Paired sets have equally many rows.
// Multi-TCAV: `runs` fits on disjoint parts, whose sizes differ by one at most.
Drawing split_drawing(const Refitter& refitter, Index runs, Split split, const ResamplingOptions& options);
// Random against random, the usual null: part t plays the concept against part t+1 of `runs` parts.
Drawing random_null_drawing(const Refitter& refitter, Index runs, const ResamplingOptions& options);
// Both sets drawn with replacement, at their own sizes.
Drawing bootstrap_drawing(const Refitter& refitter, Index count, const ResamplingOptions& options);
// Random halves of both sets, in complementary pairs: 2·splits refits.
Drawing half_drawing(const Refitter& refitter, Index splits, const ResamplingOptions& options);
inline constexpr Index kHalfSplits = 32;  // behind every result
// The first of those pairs with each half cut in two again: 4·splits refits.
Drawing quarter_drawing(const Refitter& refitter, Index splits, const ResamplingOptions& options);
// Refit g leaves out group g of both sets; their deviations give errors by jackknife_error. Groups may be
// drawn several times: row g of drawing k is refit k·groups + g.
Drawing jackknife_drawing(const Refitter& refitter, Index groups, Index drawings,
                          const ResamplingOptions& options);
// Two complementary pairs of halves of what refit g of the first drawing kept: refits 4·g … 4·g + 3.
Drawing jackknife_half_drawing(const Refitter& refitter, Index groups, const ResamplingOptions& options);

// What comes of them.
inline Matrix split_runs(const Refitter& refitter, Index runs, Split split,
                         const ResamplingOptions& options) {
  return refitter.refits(split_drawing(refitter, runs, split, options), options.threads);
}
inline Matrix random_null_runs(const Refitter& refitter, Index runs, const ResamplingOptions& options) {
  return refitter.refits(random_null_drawing(refitter, runs, options), options.threads);
}
inline Matrix bootstrap_runs(const Refitter& refitter, Index count, const ResamplingOptions& options) {
  return refitter.refits(bootstrap_drawing(refitter, count, options), options.threads);
}
inline Matrix half_runs(const Refitter& refitter, Index splits, const ResamplingOptions& options) {
  return refitter.refits(half_drawing(refitter, splits, options), options.threads);
}

// √((G-1)/G Σ (θ_g - θ̄)²) of a number computed with each group left out.
double jackknife_error(const VectorRef& left_out);

}  // namespace atcav::fit
