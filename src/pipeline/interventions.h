#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atcav/intervention.h"
#include "atcav/options.h"
#include "pipeline/analyse.h"
#include "pipeline/base_inputs.h"
#include "pipeline/example_groups.h"

// The stage that tries directions out: the network is run on from a layer with the direction added and taken
// away, and with the concept erased (atcav/intervention.h has the formulas), on class inputs and on random
// ones.
namespace atcav {

// How many inputs of each base: at most kMostTried, such that adding directions costs about a quarter of the
// run without gradients, and at least kLeastTried. An input goes through the network once and from each layer
// on twice for each dose and direction. Counted in passes through the whole network, never timed: results
// must not depend on it.
inline constexpr Index kMostTried = 64;
inline constexpr Index kLeastTried = 8;
struct InterventionCost {
  Index examples = 0;      // that go through the network once
  Index class_inputs = 0;  // forward and backward
  Index directions = 0;    // per layer
  Index bases = 0;
  std::vector<double> depths;  // of each layer, as a share of the network
};
Index tried_inputs(const InterventionCost& cost);

struct InterventionOptions {
  Options run;
  bool erase = true;
  bool together = false;               // all concepts at once, too
  std::optional<EraserChoice> eraser;  // not given: the CAV's own direction
};

class Interventions {
 public:
  Interventions(Session& session, InterventionBases bases, InterventionOptions options);

  // Fills Result::intervention and Result::erasure of the layer's results and adds their warnings. `number`
  // is that of the layer in the session.
  void try_out(std::size_t number, const AnalysedLayer& layer);

  std::vector<SpeaksFor> take_speaks_for() { return std::move(speaking_); }
  std::vector<JointErasure> take_together() { return std::move(together_); }

 private:
  void add_direction(std::size_t number, const AnalysedLayer& layer, std::size_t test, const MatrixF& steps,
                     const std::optional<ExampleGroups>& groups);
  void erase_concept(const AnalysedLayer& layer, std::size_t test,
                     std::vector<std::optional<Erasure>> by_class);

  Session& session_;
  InterventionBases bases_;
  InterventionOptions options_;
  std::vector<Base> inputs_;  // one per base
  std::vector<SpeaksFor> speaking_;
  std::vector<JointErasure> together_;
};

// Bonferroni and Benjamini–Hochberg over everything tested in the call: interventions by kind of base and
// dose, erasures.
void correct_interventions(std::vector<Result>& results);

}  // namespace atcav
