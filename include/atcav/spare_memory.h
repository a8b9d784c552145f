#pragma once

#include <cstddef>
#include <new>
#include <utility>

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

}  // namespace atcav::model
