#pragma once

#include <string>
#include <vector>

#include "atcav/nn/input_batch.h"
#include "atcav/nn/layer.h"

// What can be said about a network without running it. Kept as text beside activations that are already
// there, it lets a program work on them without LibTorch (known/model.cpp).
namespace atcav::nn {

class Model;

struct ModelFacts {
  std::vector<InputInfo> inputs;
  std::vector<Layer> layers;
  std::vector<Index> pooled_columns;  // of each layer with Pool::mean
  std::string logits;
  Index logit_count = 0;
  std::vector<std::string> notes;
};

ModelFacts facts_of(const Model& model);
std::string write_facts(const ModelFacts& facts);
// std::runtime_error for text that write_facts did not write.
ModelFacts read_facts(const std::string& text);

}  // namespace atcav::nn
