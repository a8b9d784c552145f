#include "plugins/torch/onnx/budget.h"

#include <fmt/format.h>

#include <stdexcept>

namespace atcav::onnx {
namespace {

void take(std::size_t& taken, std::size_t count, std::size_t most, const char* what) {
  if (count > most - taken) throw std::runtime_error(fmt::format("[onnx] {} {}", what, most));
  taken += count;
}

}  // namespace

void Budget::take_nodes(std::size_t count) {
  take(nodes_, count, kMostNodes, "the number of nodes with all functions written out is above");
}

void Budget::take_steps(std::size_t count) {
  take(steps_, count, kMostSteps, "the number of steps of all loops in one pass is above");
}

void Budget::take_bytes(std::size_t count) {
  take(bytes_, count, kMostBytes, "the bytes of names, written out nodes and sequences are above");
}

}  // namespace atcav::onnx
