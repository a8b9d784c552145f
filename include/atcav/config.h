#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/model.h"
#include "atcav/options.h"

// The configuration of `atcav run` and `atcav score`, from flags, a YAML file or code. The table in
// pipeline/option_table.h names each field.
namespace atcav {

struct ExampleSet {
  std::string name;
  std::string path;  // run: what model::Inputs opens; score: an array
};

// What is differentiated: an output of the network, counted from 0, or a combination of outputs.
struct Target {
  Target(Index index = 0)
      : logit(index) {}  // NOLINT(google-explicit-constructor): an index is the usual target
  Index logit = 0;
  std::optional<Index> minus;  // this output is subtracted
  bool negative = false;       // the output with its sign changed: the other class of a model with one logit
  std::string file;            // an array with an index for each example instead
};
// "340", "340-339", "-0", "@labels.npy": as users type it, and back. std::invalid_argument for other text.
std::string target_text(const Target& target);
Target read_target(const std::string& text);

struct ClassSet {
  std::string name;
  Target target;
  std::string path;
};

struct ConceptPair {
  std::string first;   // plays the concept
  std::string second;  // plays random
};

enum class EraserChoice { kPattern, kRidge };

struct Config {
  std::string model;                // ONNX file
  std::vector<std::string> layers;  // module, tensor, node or a pattern; for score a name for the report
  std::vector<ClassSet> classes;
  std::vector<ExampleSet> gradients;  // score: gradients of a class's logit at the layer, one row per input
  std::vector<ExampleSet> concepts;
  std::string random;
  std::vector<ExampleSet> texts;      // a class's inputs as text, one line per row
  std::string cavs;                   // safetensors file of directions instead of concepts and random
  std::vector<ConceptPair> relative;  // one concept against another instead of random
  std::string pool_examples;          // examples whose labels are concepts: a folder or an array
  std::string labels;                 // CSV file with the labels of the pool (include/atcav/groups.h)

  // Rows that belong together (crops of one photograph): errors of the effect add their influences up first.
  std::string group_column;              // of the labels: text, the name of each row's group
  std::string group_by;                  // regular expression; its first capture in a file name is the group
  std::vector<ExampleSet> class_groups;  // of class inputs: a file with a line per input, or an expression

  Options options;

  data::PreprocessPreset preprocess = data::PreprocessPreset::kTorchvision;  // the next six change it
  std::optional<Index> resize;
  std::optional<Index> crop;
  std::optional<double> scale;
  std::vector<double> mean;
  std::vector<double> std;
  bool bgr = false;

  // Class and random inputs that interventions use (include/atcav/intervention.h). Without: with pattern,
  // fast and given directions as many as cost about a quarter of the run.
  std::optional<Index> intervene;
  bool no_intervene = false;
  // Concepts are also erased where interventions run (include/atcav/intervention.h). Without: with the run's
  // CAV.
  std::optional<EraserChoice> eraser;
  bool no_erase = false;
  bool erase_together = false;  // all concepts at once, too
  std::string logit_names;      // file with the names of the logits, one per line

  std::string output;        // tensor with the logits; empty: found
  std::vector<Index> shape;  // of one example, where the model leaves it open
  model::Pool pool = model::Pool::kNone;
  std::vector<model::Device> devices = {model::Device{}};  // several take blocks of examples in turn
  model::Precision precision = model::Precision::kFp32;
  std::optional<Index> batch;  // examples run at once; without: 32, on a GPU what fits up to 256
  bool skip_bad = false;       // leave unreadable images out
  std::string cache;           // folder for activations and gradients; empty: none
  double cache_gb = 20;        // beyond this the longest unused go
  std::string save_cavs;       // safetensors file to write
  bool influences = false;     // keep the responses of examples and inputs (atcav/influences.h)

  bool on_gpu() const {
    return std::ranges::any_of(devices, [](const model::Device& one) { return one.gpu; });
  }
};

// std::invalid_argument with the line for unknown or repeated keys, values of the wrong kind and more than
// one document.
Config read_config(const std::string& yaml);
// YAML that read_config turns into the same configuration.
std::string write_config(const Config& config);

}  // namespace atcav
