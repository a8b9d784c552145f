#pragma once

#include <vector>

#include "atcav/matrix.h"
#include "pass/pass.h"

// How well a concept can be told from random examples at a layer: scores of examples by pattern CAVs
// fitted without them, from the sums that the pass keeps.
//
// For fold f let r and c be the means of the random and of the concept rows outside f. A scored row x of
// either set in fold f gets g = w·(x - mid), w = c - r, mid = (c + r)/2: positive means concept.
// fast has the same w but for a positive factor.
namespace atcav::fit {

// `concept_set` and `random_set` are numbers of sets of the pass. threads: 0 for all; they change nothing.
pass::HeldOutScores held_out_scores(const pass::Pass& pass, Index concept_set, Index random_set = 0,
                                    int threads = 0);

}  // namespace atcav::fit
