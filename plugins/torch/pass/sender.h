#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <array>
#include <optional>

#include "plugins/torch/libtorch.h"

// Inputs on their way to where the network is. A GPU gets them through a queue of its own, so that a copy
// waits for nothing and runs beside the batch before.
//
// Ordinary memory is copied to a GPU by one thread of the driver. Through two pieces of pinned memory, which
// all threads fill in turn, it goes faster, and numbers for a network in bf16 are rounded before they travel.
// Pinned memory takes longer to get than a small run would save, so it is used once much has been sent.
namespace atcav::plugin {

class Sender {
 public:
  // Real numbers may arrive as `type`, what the network computes in.
  Sender(const at::Device& device, at::ScalarType type);
  // For use on the device's current queue; what was given may change as soon as this returns.
  at::Tensor operator()(const at::Tensor& given);

 private:
  struct Piece {
    at::Tensor pinned;
    std::optional<c10::Event> sent;
  };

  at::Tensor through_pinned(const at::Tensor& given, const c10::Stream& computing);
  Piece& next_piece();

  at::Device device_;
  at::ScalarType type_;
  std::optional<c10::Stream> queue_;
  std::size_t bytes_sent_ = 0;
  std::array<Piece, 2> pieces_;
  std::size_t taken_ = 0;
};

}  // namespace atcav::plugin
