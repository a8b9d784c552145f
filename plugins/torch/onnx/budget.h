#pragma once

#include <cstddef>

// What a file may make of itself. Functions that call functions, loops in loops and long names grow without
// limit from a few kilobytes; no network that was exported comes near these bounds.
namespace atcav::onnx {

class Budget {
 public:
  static constexpr std::size_t kMostNodes = 250'000;
  static constexpr std::size_t kMostSteps = 500'000;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28;

  // Each takes a share and is std::runtime_error once there is none left.
  void take_nodes(std::size_t count);  // written out of functions, calls counted
  // In the bodies of control ops, in one pass; rounds count, large steps more.
  void take_steps(std::size_t count);
  void take_bytes(std::size_t count);  // of names, of written out nodes, of lists of tensors

 private:
  std::size_t nodes_ = 0;
  std::size_t steps_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace atcav::onnx
