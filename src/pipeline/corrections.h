#pragma once

#include <vector>

#include "atcav/result.h"
#include "fit/max_t.h"

// What can be said only when everything in the call has been tested: corrected p-values, the verdicts that
// rest on them, and warnings about how they go together.
namespace atcav {

// Of the test of use (of given directions the one over inputs, and the comparison with random directions), of
// its opposite and of "no input uses it" Bonferroni's and Benjamini-Hochberg's p-values, joint effects apart.
// Where `largest` knows relabelled t's, max_t and simultaneous intervals too.
void correct_for_multiple_tests(std::vector<Result>& results, const fit::LargestT& largest,
                                const Options& options);

}  // namespace atcav
