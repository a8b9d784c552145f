#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atcav/intervention.h"
#include "pipeline/probe.h"

// The network of a run from one of its layers on, with the bases that directions are tried out on.
namespace atcav {

struct TailBases {
  std::shared_ptr<Probe> probe;
  std::shared_ptr<std::vector<OpenedSet>> sets;  // one per class, then random where there is one
  Index inputs = 0;                              // of each base, at most
  std::vector<std::string> labels;               // names of logits
  std::vector<ClassTarget> targets;              // of the classes; each has a column behind the logits
};

// How many inputs of each base: at most kMostTried, such that they cost about a quarter of the run, and at
// least kLeastTried. An input goes through the network once for each layer and from there on twice for each
// dose and direction. Counted in passes through the whole network, never timed: results must not depend on
// it.
inline constexpr Index kMostTried = 64;
inline constexpr Index kLeastTried = 8;
struct TailCost {
  Index examples = 0;      // that go through the network once
  Index class_inputs = 0;  // forward and backward
  Index directions = 0;    // per layer
  Index bases = 0;
  std::vector<double> depths;  // of each layer, as a share of the network
};
Index tried_inputs(const TailCost& cost);

// A direction of channels is added where the pool looks: at every position for mean (that is not masked), at
// its token for cls, last and a number, at the largest position of each channel for max.
std::shared_ptr<Tail> make_network_tail(const TailBases& bases, std::size_t layer);

}  // namespace atcav
