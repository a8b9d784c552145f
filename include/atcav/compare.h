#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atcav/effect.h"
#include "atcav/result.h"

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
namespace atcav {

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

// As results.json is for a run, as the program prints it, and as a page.
namespace report {
std::string comparison_json(const Comparison& found);
std::string comparison_table(const Comparison& found);
std::string comparison_html(const Comparison& found, const std::string& command_line);
}  // namespace report

}  // namespace atcav
