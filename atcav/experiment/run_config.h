#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/experiment/options.h"

// Everything `atcav run` may be told, from flags or from a YAML file; every flag has a key of the same name.
namespace atcav::experiment {

struct ExampleSet {
  std::string name;
  std::string path;  // a folder of images, or an array with the model's input shape
};

struct ClassSet {
  std::string name;
  Index target = 0;  // which logit
  std::string path;
};

struct RunConfig {
  std::string model;                // ONNX file
  std::vector<std::string> layers;  // tensor, node or module path
  std::vector<ClassSet> classes;
  std::vector<ExampleSet> concepts;
  std::string random;
  std::string cavs;                   // safetensors file of directions instead of concepts and random
  std::vector<std::string> relative;  // "striped:dotted": striped against dotted instead of random

  Options options;

  std::string preprocess = "torchvision";  // or caffe, tf, none; the next six change it
  std::optional<Index> resize;
  std::optional<Index> crop;
  std::optional<double> scale;
  std::vector<double> mean;
  std::vector<double> std;
  bool bgr = false;

  std::string output_tensor;       // with the logits; empty: found
  std::vector<Index> shape;        // of one example, where the model leaves it open
  std::string pool = "none";       // or mean: over positions
  std::string device = "cpu";      // or cuda
  std::string precision = "fp32";  // on a GPU also tf32, bf16
  Index batch = 32;                // examples run at once
  bool skip_bad = false;           // leave unreadable images out
  std::string cache;               // folder for activations and gradients; empty: none
  double cache_gb = 20;            // beyond this the longest unused go
  std::string save_cavs;           // safetensors file to write
};

// Unknown keys, wrong types and values are std::invalid_argument with the line.
RunConfig read_config(const std::string& yaml);
// YAML that read_config turns into the same configuration.
std::string write_config(const RunConfig& config);

// "NAME:INDEX=PATH" and "NAME=PATH" as on the command line.
ClassSet parse_class(const std::string& text);
ExampleSet parse_example_set(const std::string& option, const std::string& text);

}  // namespace atcav::experiment
