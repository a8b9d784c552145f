#pragma once

#include <string>
#include <vector>

#include "atcav/input_batch.h"
#include "atcav/layer.h"

// What can be said about a network without running it. Kept as text beside cached activations, it lets a run
// work on them without the network.
namespace atcav::model {

struct Facts {
  std::vector<InputInfo> inputs;
  // In execution order, from the input's first reader to the logits; tensors that hold something for each
  // example.
  std::vector<Layer> layers;
  std::vector<Module> modules;  // that have a layer as their result, parents before their parts
  std::string logits;           // the tensor that is differentiated
  Index logit_count = 0;
  std::vector<std::string> notes;  // what the user should know: a Softmax stepped over, adapted constants
  std::string hash;                // SHA-256 of the network's content: cache keys and results.json
  std::vector<std::string>
      files;  // with weights, where they lie apart from the model's own file; can be opened
};

std::string write_facts(const Facts& facts);
// std::runtime_error for text that write_facts cannot have written: sizes that do not fit, modules of layers
// that are not there. Names are bytes and come back as such.
Facts read_facts(const std::string& text);

}  // namespace atcav::model
