#pragma once

#include <string>

#include "pass/pass.h"
#include "pipeline/merge_passes.h"
#include "pipeline/share_file.h"

// A part of a pass in a file: of the rows that are one part's, what merge_passes sends between ranks.
//
// For pattern and fast: projections, sums over folds, and the rows to score themselves, at most
// pass::kMostEvaluatedRows of a set, since the sums of others are not known yet. For ridge, logistic and svm
// all rows, since K = X·Xᵀ needs every pair of them.
namespace atcav {

struct PartOfPass {
  const MergeOptions& options;
  int part = 0;
  std::string name;  // begins the names of its tensors
};

// What PassBuilder::finish_share gave this part; the pass must stay until the content is written.
void keep_part(const pass::Pass& pass, const PartOfPass& part, ShareContent& content);

// Adds a part to a pass without rows (PassBuilder::finish_share again), for all parts in order; then
// finish_parts makes it the pass over all rows, byte for byte that of a single process.
void add_part(pass::Pass& pass, const PartOfPass& part, const ShareFile& file);
void finish_parts(pass::Pass& pass, const pass::PassOptions& options);

}  // namespace atcav
