#pragma once

#include <string>
#include <vector>

#include "atcav/config.h"
#include "atcav/interval.h"
#include "atcav/options.h"
#include "atcav/result.h"

// A copy of a network's file with concepts erased at a layer, and the effect of that: what `atcav repair`
// does.
//
//   Config config;
//   config.model = "m.onnx";
//   config.layers = {"layer3"};
//   config.concepts = {{"watermark", "images/watermark"}};
//   config.random = "images/random";
//   config.classes = {{"truck", 1, "images/truck_without_watermark"}};  // to be looked at before and after
//   Repaired repaired = repair(config, "fixed.onnx");
//   // write repaired.file to fixed.onnx
//
// From each activation the concept's direction is subtracted, as much as the activation has of it
// (src/stats/erasure.h). The direction goes from the random mean to the concept's; what reads it is the CAV
// of config.options.cav: itself for pattern and fast, the fitted one for ridge (which is LEACE as λ → 0),
// logistic and svm.
namespace atcav {

// The inputs of a class. Before and after are of the same inputs, so changes are of pairs.
struct RepairedGroup {
  struct Share {
    Index hits = 0;  // inputs whose largest logit is the class's
    double share = 0;
    stats::Interval interval;  // Wilson's
  };
  struct Change {
    double value = 0;
    stats::Interval interval;
  };
  std::string name;
  Index logit = 0;
  Index inputs = 0;
  Share before;
  Share after;
  Index gained = 0;   // hits after that were misses before
  Index lost = 0;     // hits before that are misses after
  Change share;       // after − before
  Change mean_logit;  // Student's interval over inputs; infinite for one
};

struct Repaired {
  std::string file;  // its bytes
  Options options;   // checked
  std::string model;
  std::string layer;
  std::string tensor;
  std::string pool;
  Index dimension = 0;
  std::vector<std::string> concepts;
  std::vector<Index> n_concept;
  Index n_random = 0;
  std::vector<RepairedGroup> groups;  // one per class
  std::vector<Input> inputs;          // every file with its hash
  std::vector<std::string> notes;
  std::vector<std::string> remarks;  // about the course of the run; never in results.json
};

// `output`: the path of the new file, in the folder of the old one if weights are in files of their own.
// std::invalid_argument unless there is exactly one layer, for a layer or pool that cannot be erased in a
// file (model/erase_onnx.h), and for concepts that cannot be separated from random or from each other.
Repaired repair(const Config& config, const std::string& output, const Progress& progress = {});

}  // namespace atcav
