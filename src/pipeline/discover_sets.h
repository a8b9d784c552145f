#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atcav/run.h"
#include "pipeline/halves.h"
#include "pipeline/opened_set.h"
#include "pipeline/session.h"

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

}  // namespace atcav
