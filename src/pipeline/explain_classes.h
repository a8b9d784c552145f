#pragma once

#include <vector>

#include "atcav/intervention.h"
#include "atcav/options.h"
#include "pipeline/analyse.h"

// How much of the classes' logits over random inputs the concepts' directions explain (atcav/intervention.h),
// from activations of the random inputs whose logits are known (LayerData::random_rows): no input goes
// through the network for it.
namespace atcav {

// Of a layer at most this much is kept for it: wide ones have fewer rows.
inline constexpr double kMostExplainedBytes = 256e6;

// By class. The concepts that are held against random examples, with the CAVs' own directions. Nothing where
// the logits of random inputs are not known, or are too few for so many concepts.
std::vector<Explained> explain_classes(const AnalysedLayer& layer, const Options& options);

}  // namespace atcav
