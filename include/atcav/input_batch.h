#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/preprocess.h"
#include "atcav/spare_memory.h"

// Examples on their way into a network: plain numbers in C order, the first size counts the examples.
namespace atcav::model {

// Images that the model turns into real numbers where it runs: a quarter of the bytes to copy there.
struct Pixels {
  std::shared_ptr<std::uint8_t[]> values;  // examples × height × width × channels
  Index size = 0;
  data::Normalisation how;
  bool channels_last = false;  // the model's layout; the values' is always
};

using Reals = std::vector<float, Unwritten<float>>;

struct InputBatch {
  std::vector<Index> shape;
  Reals reals;                             // for inputs with real numbers
  std::vector<std::int64_t> integers;      // for token ids and masks
  std::shared_ptr<void> object = nullptr;  // instead of numbers: what a network in code takes (from Python)
  // Of each row's content, over all inputs; in the batch of the first input. Inputs::read fills it.
  std::vector<std::string> hashes = {};
  std::optional<Pixels> pixels = {};  // instead of reals, for a model that was opened on a device

  Index rows() const { return shape.empty() ? 0 : shape.front(); }
};

// What the model says about one of its inputs; −1 for a size it leaves open.
struct InputInfo {
  std::string name;
  std::vector<Index> shape;  // the batch first
  bool is_integer = false;
};

// SHA-256 of a row: its numbers in all inputs, as the network sees them, and their shapes. Two arrays with
// the same row have the same hash.
std::string content_hash(const std::vector<InputBatch>& batches, Index row);

}  // namespace atcav::model
