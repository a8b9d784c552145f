#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/config.h"
#include "atcav/effect.h"
#include "atcav/groups.h"
#include "atcav/matrix.h"
#include "atcav/result.h"

// What a run keeps of each example and each input: the responses z_j·(x_i - centre), how much example i moves
// the logit of input j to first order. Every effect is a linear function of them; so groups, levels and
// comparisons can be chosen afterwards (reanalyse, compare) without the network.
namespace atcav {

struct LayerResponses {
  std::string layer;
  std::vector<Matrix> sets;  // random, then the concepts: inputs of all classes × examples
  Matrix pool;               // inputs × rows of the pool; empty without one
  Matrix pool_products;  // scored rows × rows of the pool, x_s·x_i around their mean; empty if not known
  std::vector<Index> zero_inputs;  // by class: inputs whose gradient is zero
};

struct Influences {
  struct Class {
    std::string name;
    Index inputs = 0;
  };
  std::vector<Class> classes;
  std::vector<std::string> concepts;
  std::vector<std::pair<Index, Index>> relative;  // places in `concepts`
  std::vector<std::string> columns;               // labels of the pool, and their values by row
  Matrix labels;
  RowGroups files;                  // names of the rows' files, where they have some
  RowGroups hashes;                 // SHA-256 of the rows' content, where it is known
  RowGroups groups;                 // as the run was told
  std::vector<std::string> strata;  // of the random rows
  std::vector<LayerResponses> layers;
};

// Effects from the influences of a run with other groups, another level or another bound: the same numbers as
// a new run with these choices, without the network.
//
//   RunResult run = read_report("out");                       // or a run with config.influences
//   Config choices;
//   choices.options = run.options;
//   choices.group_by = "^(.*)_crop";
//   RunResult grouped = reanalyse(run, regrouping(run, choices));
//
// Scores and their intervals, interventions and accuracy do not rest on responses and stay.

struct Reanalysis {
  std::optional<RowGroups> groups = {};   // in place of the run's
  std::optional<LabelTable> labels = {};  // other labels of the pool, and the groups in their table
  std::optional<double> level = {};       // of effects and tests
  std::optional<double> negligible = {};
  std::string note = {};  // the choices, for results.json
};

// From a configuration: group_by, group_column (with labels, or the run's table), class_groups; of options
// level and negligible.
Reanalysis regrouping(const RunResult& run, const Config& choices);

// std::invalid_argument for a run that kept no influences, and for groups that do not fit its rows.
RunResult reanalyse(RunResult run, const Reanalysis& choices);

// Two runs on the same examples: two checkpoints, two layers, two ways of preprocessing. Effects are compared
// pair by pair of examples and inputs, so what both share of the error cancels: the interval of a difference
// is far shorter than the two intervals side by side, and equal networks differ by exactly 0.
//
//   Comparison found = compare(read_report("before"), read_report("after"));
//   if (found.changed() > 0) …
//
// Logits decide, because d has a unit of its own in each run: a network that learns something else besides
// moves the logit of random examples more, and all its d become smaller.
//
// Rows are matched by the hashes of their content; rows of arrays, which have none, by their number. Layers
// of one name are compared; two runs of one layer each, whatever the names.

struct Difference {
  std::string concept_name;
  std::string class_name;
  std::string layer;             // of the first run
  std::string second_layer;      // of the second
  bool label = false;            // of a pool
  bool joint = false;            // and with all other labels held fixed
  double first = 0, second = 0;  // effects in logits
  std::optional<double> first_d, second_d;
  stats::Effect logits;            // second less first; its p: of no difference
  std::optional<stats::Effect> d;  // likewise, as its `logits`
  double bonferroni = 1;           // of the p of logits, over all differences
  double benjamini_hochberg = 1;
  std::string first_verdict, second_verdict;  // of the runs
  bool verdict_changed = false;
};

struct Comparison {
  std::string first, second;  // what the runs are called
  double level = 0.95;
  std::vector<Difference> differences;
  std::vector<std::string> notes;  // rows, concepts and classes that only one of them has
  // Differences that are real after correction, and verdicts that changed.
  Index changed() const;
};

// std::invalid_argument for runs without influences, and for those with nothing in common.
Comparison compare(const RunResult& first, const RunResult& second, const std::string& first_name = "first",
                   const std::string& second_name = "second");

}  // namespace atcav
