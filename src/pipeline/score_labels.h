#pragma once

#include <functional>
#include <vector>

#include "atcav/options.h"
#include "atcav/result.h"
#include "pipeline/layer_data.h"

// Every label of a pool, for every class: its effect by itself and with the others held fixed
// (stats/joint_effect.h). A 0/1 label by itself compares the examples with it to those without, as a
// concept's folder is compared to random examples; of numbers one step is one standard deviation. d is in
// units of sd(z̄·x) over the examples without the label, or over all of them; rows without a value are left
// out, of the joint effects all that lack any label.
namespace atcav {

// Classes below each other, labels within classes, as `data.labels` has them.
std::vector<Result> score_labels(const LayerData& data, const Options& options,
                                 const std::function<void()>& on_result);

}  // namespace atcav
