#pragma once

#include <string>
#include <vector>

#include "atcav/config.h"
#include "atcav/matrix.h"
#include "atcav/run.h"

// A run in parts that need not know of each other: on any machines, in any order, as often as they are
// killed.
//
//   for (int i = 1; i <= 8; ++i) share(config, {{i, 8}}, "share-" + std::to_string(i));   // anywhere, any
//   time RunResult found = merge(shared_config(files), files);                                 // as
//   run(config), byte for byte
//
// A part reads and runs its share of the examples, and besides what it cannot do without: the first 64 random
// examples, whose mean all are centred on, and all class inputs, since every example is multiplied with every
// gradient. Where classes are many, let a first round share the gradients too (ShareOptions).
//
// For pattern and fast a file has projections (class inputs × examples), sums over folds and at most 200 rows
// of each set; for ridge, logistic and svm its examples' rows. merge needs model and examples: stages after
// the analysis (interventions, erasures, maps) run there, and every example is read once to see that it is
// the one that the parts had.
namespace atcav {

struct ShareOptions {
  struct {
    int number = 1;  // from 1
    int of = 1;
  } part;
  bool gradients_only = false;
  // Files of a finished round of gradients, all its parts: then none are computed here.
  std::vector<std::string> gradients = {};
};

struct ShareSummary {
  bool was_there = false;  // the file, complete and of this run: nothing was computed
  Index gradients = 0;     // class inputs and
  Index examples = 0;      // examples that the network ran or a cache had
  Index bytes = 0;         // of the file
};

// Writes the file, whole or not at all. Errors as run; std::invalid_argument for parts that there are not.
ShareSummary share(const Config& config, const ShareOptions& options, const std::string& file,
                   const Progress& progress = {}, const Given& given = {});

// What these parts are a run of, from the first file. Threads, memory, cache and further files to be written
// may be chosen anew.
Config shared_config(const std::vector<std::string>& files);

// The run, from all its parts in any order; copies of a part may be among them. std::runtime_error with the
// file's name for one that is damaged, of another run, program, network or set of examples, and for missing
// parts.
RunResult merge(const Config& config, const std::vector<std::string>& files, const Progress& progress = {},
                const Given& given = {});

}  // namespace atcav
