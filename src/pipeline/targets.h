#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atcav/config.h"
#include "atcav/model.h"

// What is differentiated for a class: a logit, one per input, a difference of two, or a logit with its sign
// changed. Here and nowhere else is decided what a target means.
namespace atcav {

struct ClassTarget {
  std::vector<Index> logits;   // one, or one per input
  std::optional<Index> minus;  // subtracted from it
  bool negative = false;       // the sign changed

  bool per_input() const { return logits.size() != 1; }
  // A logit as the network has it.
  bool is_plain() const { return !per_input() && !minus && !negative; }
  // Of these inputs, where each has its own.
  ClassTarget of(const std::vector<Index>& inputs) const;
  // Of inputs first … from their logits.
  Eigen::VectorXf values(const MatrixF& logits_of_inputs, Index first) const;
  // For cache keys.
  std::string text() const;
};

// The target of a class with so many inputs, its file read. std::invalid_argument for outputs that the
// network does not have.
ClassTarget resolve_target(const ClassSet& set, Index inputs, const model::Facts& facts);

// Names of the logits from a file, one per line; without a file none. As many as there are logits.
std::vector<std::string> read_logit_names(const std::string& file, Index logits);
// Where the file has none, logits have the names of the run's classes.
void name_logits(std::vector<std::string>& names, const std::vector<ClassTarget>& targets,
                 const std::vector<ClassSet>& classes);

}  // namespace atcav
