#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atcav/discover.h"
#include "atcav/run.h"
#include "core/stopwatch.h"
#include "pipeline/halves.h"
#include "pipeline/layer_data.h"
#include "pipeline/layer_positions.h"
#include "pipeline/named_steps.h"
#include "pipeline/opened_set.h"
#include "pipeline/session.h"
#include "pipeline/targets.h"

// What a discovery reads: sets of examples in halves, and dictionaries that users bring.
namespace atcav {

// A set cut in two, both of which forget the other.
struct HalvedSet {
  Role role;
  std::string path;
  std::shared_ptr<model::StoredExamples> all;
  Halves rows;
  std::vector<std::string> groups;  // of all rows; may be empty
  OpenedSet finds;
  OpenedSet tests;

  // Of some of all rows, where they have groups.
  std::vector<std::string> groups_of(const std::vector<Index>& some) const;
  Input describe() const;
};

// `reuse`: both halves are the finding one.
HalvedSet open_halves(const Session& session, const Config& config, const Role& role, const std::string& path,
                      bool reuse);

// Directions of FILE or FILE:TENSOR, named by their numbers, or as include/atcav/run.h says of a file of
// directions.
LayerDirections read_dictionary(const std::string& spec, const ProbedLayer& layer);

// A discovery on its way: what was read, for discover() to find and test with.
struct Discovery {
  const DiscoverConfig& config;
  const Progress& progress;
  Options options;
  std::shared_ptr<Session> session;
  std::vector<HalvedSet> classes;
  std::optional<HalvedSet> random;
  std::vector<OpenedSet> named;
  std::vector<ClassTarget> targets;
  std::optional<LayerDirections> dictionary;
  std::vector<LayerDirections> chosen;               // of it, by class: at most kMostTested
  std::vector<LayerData> gradients;                  // by layer, of the testing halves
  std::vector<std::vector<LayerPositions>> finding;  // by class and layer
  std::vector<std::vector<LayerPositions>> testing;
  std::vector<LayerPositions> random_finding;  // by layer
  std::vector<Matrix> random_testing;          // pooled
  std::vector<NamedSteps> named_steps;         // by layer, from random_testing's mean
  std::vector<std::string> labels;
  Index tried = 0;
  Stopwatch watch;
};

inline constexpr Index kMostTested = 100;  // directions of a dictionary, by each class

// These need a session. Sets, targets and names.
void open_sets(Discovery& all);
// Gradients of the testing halves. Of a larger dictionary each class takes those directions along which its
// logit changes most at the finding half, so that the choice knows nothing of the inputs that test.
void read_gradients(Discovery& all);
// At single positions, or pooled where that will do.
void read_activations(Discovery& all);

}  // namespace atcav
