#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "atcav/config.h"
#include "atcav/directions.h"
#include "atcav/examples.h"
#include "atcav/labels.h"
#include "atcav/model.h"
#include "atcav/progress.h"
#include "atcav/ranks.h"
#include "atcav/result.h"

// From a network and folders of examples to results: what `atcav run` does.
//
//   Config config;
//   config.model = "resnet50.onnx";
//   config.layers = {"layer3"};
//   config.classes = {{"zebra", 340, "images/zebra"}};
//   config.concepts = {{"striped", "dtd/striped"}};
//   config.random = "images/random";
//   RunResult found = run(config);
//
// Gradients of the class inputs come first and stay; then every random and concept example goes through the
// network once, all layers in one pass. While a block is in the network the one before is multiplied into
// each layer's sums and the next is decoded.
//
// With config.cavs (atcav/directions.h) the directions are given: only class inputs go through the network,
// and without config.layers all layers of the file are taken.
namespace atcav {

// What the caller brings instead of files; config then holds the names that results.json shows for them.
struct Given {
  std::shared_ptr<model::Model> network = nullptr;  // instead of the file config.model
  // Instead of files and folders: of classes, concepts and random.
  std::map<Role, std::shared_ptr<model::ExampleSource>> examples = {};
  std::optional<Directions> directions = {};  // instead of the file config.cavs
  std::optional<LabelTable> labels = {};      // instead of the file config.labels
  std::shared_ptr<Ranks> ranks = nullptr;     // the processes that share the run
  bool keep_cavs = false;                     // in the result, also where config.save_cavs names no file
};

// In a run of several ranks (atcav/ranks.h) all must call it; rank 0 gets the results, the others an empty
// RunResult. std::invalid_argument for unknown layers, class indices out of range, bad configurations;
// std::runtime_error for unreadable models and images.
RunResult run(const Config& config, const Progress& progress = {}, const Given& given = {});

}  // namespace atcav
