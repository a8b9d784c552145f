#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "atcav/run.h"
#include "pipeline/collect_rows.h"
#include "pipeline/layer_data.h"
#include "pipeline/opened_set.h"
#include "pipeline/session.h"
#include "pipeline/targets.h"

// A run before its first row is read: configuration checked, network and sets open, layers named. Runs, parts
// of runs (pipeline/share.cpp) and what puts them together begin with it.
namespace atcav {

struct OpenedRun {
  Config config;
  std::optional<Directions> directions;  // that were given
  std::shared_ptr<Session> session;
  std::vector<OpenedSet> classes;
  std::vector<ClassTarget> targets;
  std::vector<OpenedSet> sets;               // random, then the concepts; the pool comes last
  std::shared_ptr<const PoolLabels> labels;  // of the pool, if there is one
  Input labels_file;
  std::vector<std::string> logit_names;
  std::vector<LayerData> layers;
  RunInfo about;
  CollectOptions options;
  Index tried = 0;  // inputs of each set that directions are tried out on; 0: none

  bool has_pool() const { return !config.pool_examples.empty(); }
  std::span<OpenedSet> folders() { return std::span(sets).first(sets.size() - (has_pool() ? 1 : 0)); }
  std::span<const OpenedSet> folders() const {
    return std::span(sets).first(sets.size() - (has_pool() ? 1 : 0));
  }
};

OpenedRun open_run(const Config& config, const Progress& progress, const Given& given,
                   const std::optional<Part>& share = {});

// What depends on which rows there are: their files, and the stages behind the passes.
void plan_rows(OpenedRun& run);

// What collect_passes is to be asked for, pass by pass: the examples, the pool, both or neither.
struct PassOfRun {
  std::string name;
  std::span<OpenedSet> sets;
  std::vector<ClassTarget> targets;
  CollectOptions options;
  std::optional<pass::Pass> LayerData::*into;
};
std::vector<PassOfRun> passes_of(OpenedRun& run);

// Without what changes no result: threads, memory, the cache, further files.
Config reproducible_config(Config config);

// Of the rows; empty for arrays.
std::vector<std::string> file_names(const OpenedSet& set);

}  // namespace atcav
