#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "atcav/run/given.h"
#include "atcav/run/options.h"
#include "atcav/run/result.h"

// From arrays to results: what `atcav score` does.
namespace atcav {

// An array as the user names it: a path, or file.safetensors:tensor (io/open_array.h).
struct NamedArray {
  std::string name;
  std::string path;
};

struct ScoreInputs {
  std::vector<NamedArray> concepts;  // at least one, at least two rows each
  std::string random;
  std::vector<NamedArray> gradients;  // a class each: gradients of its logit, one row an input
  std::string layer;                  // a name for the report, may be empty
};

struct RunResult {
  Options options;                               // checked
  std::map<std::string, std::string> libraries;  // behind the numbers, with their versions
  std::vector<Input> inputs;                     // every file with its hash
  std::vector<Result> results;                   // concepts within classes
  std::vector<GivenScore> given;                 // run --cavs: instead of results
  std::vector<Entanglement> entanglement;        // by layer
  std::vector<std::string> notes;                // about the whole run: files in two sets, unreadable images
  std::vector<std::string> remarks;              // about how it went, e.g. the cache; never in results.json
  std::string setup;                             // run: the configuration that repeats it, as YAML
  std::vector<std::pair<std::string, double>> seconds;          // by stage; never in results.json
  std::map<std::string, std::vector<std::string>> class_files;  // run: the picture behind each class input
  Index examples_run = 0;  // run: examples that went through the network, not found in the cache
};

// Called as work goes on, by one thread at a time; may throw to stop it.
using Progress = std::function<void(const std::string& stage, Index done, Index total)>;

// Throws std::invalid_argument for arrays that do not fit together or hold NaN, std::runtime_error for
// files that cannot be read; both name the file.
RunResult score(const ScoreInputs& inputs, const Options& options, const Progress& progress = {});

}  // namespace atcav
