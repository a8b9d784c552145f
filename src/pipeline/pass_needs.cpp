#include <algorithm>

#include "pass/pass_memory.h"
#include "pipeline/analyse.h"

namespace atcav {
namespace {

constexpr Index kFolds = 5;
constexpr Index kLeastBlocks = 60;

}  // namespace

pass::PassOptions pass_options(const Options& options, Index smallest_set) {
  pass::PassOptions pass;
  pass.gram = options.regions || !stats::is_mean_difference(options.cav.method);
  pass.moments_only = options.moments_only;
  pass.blocks = options.runs * ((kLeastBlocks + options.runs - 1) / options.runs);
  pass.folds = std::min(kFolds, smallest_set);
  pass.threads = options.threads;
  return pass;
}

double layer_bytes(Index inputs, Index d, Index examples, Index sets, const pass::PassOptions& options) {
  return sizeof(float) * static_cast<double>(inputs) * static_cast<double>(d) +
         pass::pass_bytes(inputs, d, examples, sets, options);
}

}  // namespace atcav
