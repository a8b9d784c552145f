#pragma once

#include <cstdint>

#include "atcav/base/matrix.h"
#include "atcav/span/refit.h"

// Refits on resampled examples. Each refit draws from a stream of its own, keyed by the seed, the
// concept and its number, so results do not depend on threads. Results are refits × inputs: row k holds
// the sensitivities of refit k.
namespace atcav::span {

enum class Split {
  kRandom,  // the random rows are split, the concept's are used whole in every run (what every tool does)
  kBoth,    // both are split: the paper's N = s·n
};

struct ResamplingOptions {
  std::uint64_t seed = 0;
  std::uint64_t key = 0;  // key_word of the concept's name
  int threads = 0;        // 0: all available
};

// Multi-TCAV: `runs` fits on disjoint parts, whose sizes differ by one at most.
Matrix split_runs(const Refitter& refitter, Index runs, Split split, const ResamplingOptions& options);
// Random against random, the usual null: part t plays the concept against part t+1 of `runs` parts.
Matrix random_null_runs(const Refitter& refitter, Index runs, const ResamplingOptions& options);
// Both sets drawn with replacement, at their own sizes.
Matrix bootstrap_runs(const Refitter& refitter, Index count, const ResamplingOptions& options);
// Labels dealt anew among all rows, sizes kept.
Matrix permutation_runs(const Refitter& refitter, Index count, const ResamplingOptions& options);
// Random halves of both sets, in complementary pairs: 2·splits refits.
Matrix half_runs(const Refitter& refitter, Index splits, const ResamplingOptions& options);
inline constexpr Index kHalfSplits = 32;  // behind every result
// The first of those pairs with each half cut in two again: 4·splits refits.
Matrix quarter_runs(const Refitter& refitter, Index splits, const ResamplingOptions& options);
// Refit g leaves out group g of both sets; their deviations give errors by jackknife_error.
struct JackknifeRuns {
  Matrix refits;  // groups × inputs
  Matrix halves;  // groups·4 × inputs: two complementary pairs of halves of what refit g kept
};
JackknifeRuns jackknife_runs(const Refitter& refitter, Index groups, const ResamplingOptions& options);
// The refits alone, with the groups drawn several times; drawing 0 has those of jackknife_runs. Row g of
// drawing k is row (k - first)·groups + g.
Matrix jackknife_refits(const Refitter& refitter, Index groups, Index first, Index drawings,
                        const ResamplingOptions& options);

// √((G-1)/G Σ (θ_g - θ̄)²) of a number computed with each group left out.
double jackknife_error(const VectorRef& left_out);

}  // namespace atcav::span
