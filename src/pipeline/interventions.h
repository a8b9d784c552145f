#pragma once

#include <string>
#include <vector>

#include "atcav/intervention.h"
#include "pipeline/analyse.h"
#include "pipeline/opened_set.h"
#include "pipeline/session.h"
#include "pipeline/targets.h"

// The stage that tries directions out: the network is run on from a layer with the direction added and taken
// away (atcav/intervention.h has the formulas), on class inputs and on random ones.
namespace atcav {

struct InterventionBases {
  std::vector<OpenedSet>& sets;      // one per class, then random where there is one
  Index inputs = 0;                  // of each base, at most
  std::vector<std::string> labels;   // names of logits; missing ones are empty
  std::vector<ClassTarget> targets;  // of the classes; each has a column behind the logits
};

// How many inputs of each base: at most kMostTried, such that they cost about a quarter of the run, and at
// least kLeastTried. An input goes through the network once for each layer and from there on twice for each
// dose and direction. Counted in passes through the whole network, never timed: results must not depend on
// it.
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

// Fills Result::intervention of the layer's results, adds their warnings, and says which classes each
// direction speaks for. `number` is that of the layer in the session. A direction of channels is added where
// the pool looks: at every position for mean (that is not masked), at its token for cls, last and a number,
// at the largest position of each channel for max.
std::vector<SpeaksFor> intervene(Session& session, const InterventionBases& bases, std::size_t number,
                                 const AnalysedLayer& layer, double level);

}  // namespace atcav
