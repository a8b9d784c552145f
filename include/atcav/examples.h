#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/preprocess.h"

// Memory for batches of examples. Memory that was never touched is slow (the kernel clears it page by page
// while others wait), and batches of one size come and go: a few blocks are kept for the next ones.
namespace atcav::model {

// At least `bytes`, unwritten; throws std::bad_alloc. Give back with the same number of bytes.
void* take_spare(std::size_t bytes);
void give_spare(void* block, std::size_t bytes) noexcept;

// Numbers that somebody is about to write: clearing them first would take as long as writing them.
template <typename Value>
struct Unwritten {
  using value_type = Value;
  Unwritten() = default;
  template <typename Other>
  explicit Unwritten(const Unwritten<Other>& /*other*/) {}
  bool operator==(const Unwritten& /*other*/) const { return true; }

  Value* allocate(std::size_t count) { return static_cast<Value*>(take_spare(count * sizeof(Value))); }
  void deallocate(Value* values, std::size_t count) noexcept { give_spare(values, count * sizeof(Value)); }
  void construct(Value* at) { ::new (static_cast<void*>(at)) Value; }
  template <typename... From>
  void construct(Value* at, From&&... from) {
    ::new (static_cast<void*>(at)) Value(std::forward<From>(from)...);
  }
};

// Examples on their way into a network: plain numbers in C order, the first size counts the examples.

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
