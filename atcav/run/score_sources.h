#pragma once

#include <string>
#include <vector>

#include "atcav/run/score.h"
#include "atcav/span/source.h"

// From rows, wherever they lie, to results: what files (experiment/score.h) and arrays in memory share.
//
//   span::MatrixSource random("random", r), striped("concept 'striped'", c), zebra("gradients 'zebra'", z);
//   RunResult scored = score_sources({{{"striped", &striped}}, &random, {{"zebra", &zebra}}, "layer3"}, {});
namespace atcav {

struct NamedSource {
  std::string name;         // as results call it; messages use rows->name()
  span::RowSource* rows{};  // never null
};

struct Sources {
  std::vector<NamedSource> concepts;   // at least one, at least two rows each
  span::RowSource* random{};           // never null, at least two rows
  std::vector<NamedSource> gradients;  // a class each, at least one row each
  std::string layer;
};

// Everything but RunResult::inputs: where the rows came from is known to the caller.
// Throws std::invalid_argument for rows that do not fit together or are not finite.
RunResult score_sources(const Sources& sources, const Options& options, const Progress& progress = {});

// The same array as concept and as random says nothing. To be called when scored.inputs is complete, with
// random first.
void warn_of_equal_inputs(RunResult& scored);

}  // namespace atcav
