#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "atcav/base/matrix.h"

// Examples on their way into a network: plain numbers in C order, the first size counts the examples.
namespace atcav::model {

struct InputBatch {
  std::vector<Index> shape;
  std::vector<float> reals;            // for inputs with real numbers
  std::vector<std::int64_t> integers;  // for token ids and masks
  // Instead of numbers: what a network in code takes (a Python object), and a hash of each row's content.
  std::shared_ptr<void> object = nullptr;
  std::vector<std::string> hashes = {};

  Index rows() const { return shape.empty() ? 0 : shape.front(); }
};

// What the model says about one of its inputs; −1 for a size it leaves open.
struct InputInfo {
  std::string name;
  std::vector<Index> shape;  // the batch first
  bool is_integer = false;
};

// Inputs called "attention_mask" and the like say which tokens count: 1, and 0 for padding.
inline bool is_mask(std::string_view input_name) { return input_name.find("mask") != std::string_view::npos; }

}  // namespace atcav::model
