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

// Memory for batches of examples. Fresh memory is slow, since the kernel clears it page by page, and batches
// of one size come and go: a few blocks are kept for reuse.
namespace atcav::model {

// At least `bytes`, not cleared; throws std::bad_alloc. Returned with the same number of bytes.
void* take_spare(std::size_t bytes);
void give_spare(void* block, std::size_t bytes) noexcept;

// An allocator that does not clear: the numbers are about to be written, and clearing takes as long.
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

// A batch of examples for a network: numbers in C order, the first size is the number of examples.

// Images as bytes, which the model converts where it runs: a quarter of the bytes to copy to a device.
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
  std::shared_ptr<void> object = nullptr;  // instead of numbers, for networks in code (Python's batches)
  // SHA-256 of each row over all inputs, in the batch of the first input.
  std::vector<std::string> hashes = {};
  std::optional<Pixels> pixels = {};  // instead of reals, for a model that was opened on a device

  Index rows() const { return shape.empty() ? 0 : shape.front(); }
};

// An input of a network; −1 stands for a size that is left open.
struct InputInfo {
  std::string name;
  std::vector<Index> shape;  // the batch first
  bool is_integer = false;
};

// SHA-256 of a row: its numbers in all inputs, as the network sees them, and their shapes. Two arrays with
// the same row have the same hash.
std::string content_hash(const std::vector<InputBatch>& batches, Index row);

// Examples from the caller's code. Rows are read in order, block by block, and from row 0 again where a
// second pass is needed.
class ExampleSource {
 public:
  virtual ~ExampleSource() = default;
  virtual Index rows() const = 0;
  // The number of rows to read at once from `first` on where `count` are wanted: batches of a data loader
  // stay whole.
  virtual Index block(Index first, Index count) = 0;
  // Whether rows can be read in any order, so that several processes can share them.
  virtual bool has_any_order() const { return false; }
  // One batch per network input, or a single one with an object.
  virtual std::vector<InputBatch> read(Index first, Index count) = 0;
};

}  // namespace atcav::model
