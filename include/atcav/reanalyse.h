#pragma once

#include <optional>

#include "atcav/config.h"
#include "atcav/result.h"

// Effects once more from the influences that a run kept (atcav/influences.h), with other groups, another
// level or another bound: without the network, and the same numbers as a new run with these choices.
//
//   RunResult run = read_report("out");                       // or a run with config.influences
//   Config choices;
//   choices.options = run.options;
//   choices.group_by = "^(.*)_crop";
//   RunResult grouped = reanalyse(run, regrouping(run, choices));
//
// What is not made of responses stays: scores and their intervals, interventions, accuracy.
namespace atcav {

struct Reanalysis {
  std::optional<RowGroups> groups = {};   // in place of the run's
  std::optional<LabelTable> labels = {};  // other labels of the pool, and the groups in their table
  std::optional<double> level = {};       // of effects and tests
  std::optional<double> negligible = {};
  std::string note = {};  // what results.json says was chosen
};

// What flags or a file say: group_by, group_column (with labels, or the table the run had), class_groups; of
// options level and negligible.
Reanalysis regrouping(const RunResult& run, const Config& choices);

// std::invalid_argument for a run that kept no influences, and for groups that do not fit its rows.
RunResult reanalyse(RunResult run, const Reanalysis& choices);

}  // namespace atcav
