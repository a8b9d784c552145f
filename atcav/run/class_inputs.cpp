#include "atcav/run/class_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "atcav/base/check.h"
#include "atcav/comm/comm.h"

namespace atcav {

void check_classes(const Config& config) {
  check_at_least("run", "number of classes", static_cast<Index>(config.classes.size()), 1);
  std::set<std::string> names;
  for (const ClassSet& set : config.classes) {
    if (!names.insert(set.name).second)
      fail_argument("run", fmt::format("the class '{}' is given twice", set.name));
  }
}

std::vector<ExampleFiles> open_classes(const Config& config, const Probe& probe) {
  std::vector<ExampleFiles> classes;
  for (const ClassSet& set : config.classes) {
    if (set.target >= probe.model().logit_count()) {
      fail_argument("run", fmt::format("class '{}' has index {}, must be below {}, the number of logits",
                                       set.name, set.target, probe.model().logit_count()));
    }
    classes.push_back(probe.open(fmt::format("class '{}'", set.name), set.path));
  }
  return classes;
}

std::vector<MatrixF> class_gradients(const Config& config, Probe& probe,
                                     std::vector<ExampleFiles>& classes, BlockTurns& turns,
                                     const Progress& progress) {
  const bool gathers = comm::rank() == 0;
  const std::vector<std::string>& layers = probe.layer_names();
  Index total = 0;
  for (const ExampleFiles& set : classes) total += set.rows();
  std::vector<MatrixF> gradients;
  for (std::size_t layer = 0; gathers && layer < layers.size(); ++layer)
    gradients.emplace_back(total, probe.columns(layer));
  Index done = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    for (Index first = 0; first < classes[k].rows(); first += probe.batch()) {
      const Index count = std::min(probe.batch(), classes[k].rows() - first);
      const std::vector<MatrixF> blocks =
          turns.next([&] { return probe.gradients(classes[k], first, count, config.classes[k].target); });
      if (!gathers) continue;
      for (std::size_t layer = 0; layer < blocks.size(); ++layer) {
        check_finite("run", fmt::format("gradient of {} at {}", classes[k].role(), layers[layer]),
                     MatrixFRef(blocks[layer]), first);
        gradients[layer].middleRows(done, count) = blocks[layer];
      }
      done += count;
      if (progress) progress("gradients", done, total);
    }
  }
  return gradients;
}

}  // namespace atcav
