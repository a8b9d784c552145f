#pragma once

#include <vector>

#include "atcav/input_batch.h"

namespace atcav::model {

// Examples that the caller's code brings. They are asked for in order, block after block; from row 0 again
// where a second look is needed.
class ExampleSource {
 public:
  virtual ~ExampleSource() = default;
  virtual Index rows() const = 0;
  // How many rows come in one piece from `first` on, when `count` would be welcome: batches of a data loader
  // stay as they are.
  virtual Index block(Index first, Index count) = 0;
  // Whether any rows may be asked for in any order: then several processes can share them.
  virtual bool has_any_order() const { return false; }
  // One batch per network input, or a single one with an object.
  virtual std::vector<InputBatch> read(Index first, Index count) = 0;
};

}  // namespace atcav::model
