#pragma once

#include <span>
#include <string>
#include <vector>

#include "pipeline/opened_run.h"
#include "pipeline/share_file.h"

// What a part of a run and the merge of all must agree on: facts, names of tensors, and who has which rows.
namespace atcav {

inline constexpr const char* kGradientsOnly = "gradients";
inline constexpr const char* kWhole = "examples";

ShareFacts share_facts(const OpenedRun& run, const Part& part, const char* stage);

// Contents of the rows that a part has read: its own, the first of all that every part centres on, and the
// class inputs, all or its own. The same whatever else is known of them, so that a part's file is.
void keep_hashes(OpenedRun& run, const Part& part, bool all_inputs, bool examples, ShareContent& content);
// A line about the first row that had another content there; empty if there is none.
std::string other_row(const OpenedRun& run, const ShareFile& file);
// Rows that are not known yet take what the file says; std::runtime_error for one that had another content
// there.
void join_hashes(OpenedRun& run, const ShareFile& file);
// Of all rows, by reading them. Those of examples from code stay unknown.
void hash_rows(OpenedRun& run);

// A part's class inputs, counted through all classes.
RowRange own_inputs(const OpenedRun& run, const Part& part);
// Gradients of a part's class inputs, and their hits (collect_gradients).
void keep_gradients(const OpenedRun& run, const Vector& hits, const Part& part, ShareContent& content);
// All of them, from all parts of a round; returns the hits.
Vector take_gradients(OpenedRun& run, const std::vector<ShareFile>& files);

// The parts in order, one file for each. Everything that can be wrong with files of a run is
// std::runtime_error.
std::vector<ShareFile> open_parts(const std::vector<std::string>& paths);
// That they are parts of this run, of whatever number of parts.
void check_same_run(const std::vector<ShareFile>& files, ShareFacts own);

}  // namespace atcav
