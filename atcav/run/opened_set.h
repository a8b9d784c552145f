#pragma once

#include <span>
#include <string>
#include <vector>

#include "atcav/model/inputs.h"
#include "atcav/run/result.h"

namespace atcav {

// A set of examples opened for a run, with the content behind each row known: that is what cache keys,
// warnings about duplicates and results.json are made of.
struct OpenedSet {
  std::string role;  // what messages and results.json call it: "concept 'striped'"
  std::string path;
  model::Inputs inputs;
  // One per row: of the image file, or of the row's values and their shape. Empty until the row was read,
  // unless there is a cache.
  std::vector<std::string> hashes;

  Index rows() const { return inputs.rows(); }
  Input describe() const;
};

// A sentence about examples of `set` whose content, under whatever name, is in one of the others too; one
// about copies within a set. Empty when there are none.
std::vector<std::string> shared_examples(std::span<const OpenedSet> others, const OpenedSet& set);
std::vector<std::string> copies_within(const OpenedSet& set);

}  // namespace atcav
