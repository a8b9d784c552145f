#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atcav/run.h"
#include "core/stopwatch.h"
#include "pipeline/opened_run.h"

// The first half of a run: the layers alone, without their analysis. For `run`, and for experiments that ask
// other questions of the same examples.
namespace atcav {

struct CollectedRun {
  std::vector<LayerData> layers;
  RunInfo about;  // everything about the run that is no number: inputs, notes, times
  // On the rank that analyses, for stages that look at inputs once more.
  std::shared_ptr<Session> session;
  std::vector<OpenedSet> sets;       // the classes, then random where there is one
  std::vector<ClassTarget> targets;  // of the classes
  std::vector<std::string> labels;   // names of the logits, where there are some
  Index tried = 0;                   // inputs of each set that directions are tried out on; 0: none
  RowGroups hashes;                  // of the rows' content, where influences are kept
};

CollectedRun collect(const Config& config, const Progress& progress = {}, const Given& given = {});

// Its last steps, for rows that came another way (pipeline/merge_shares.cpp): products of a pool that keeps
// its rows; everything that is no number.
void multiply_pool(std::vector<LayerData>& layers);
CollectedRun describe_run(OpenedRun run, const Stopwatch& watch);

// The second half: analysis, and the stages that look at inputs once more.
RunResult analyse_run(const Config& config, CollectedRun collected, const Progress& progress, bool keep_cavs);

}  // namespace atcav
