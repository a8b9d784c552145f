#include "plugins/torch/pass/sender.h"

#include <ATen/Parallel.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <thread>

namespace atcav::plugin {
namespace {

constexpr std::size_t kMuch = std::size_t{1} << 30;  // bytes sent before
constexpr std::int64_t kPieceBytes = std::int64_t{64} << 20;
constexpr std::int64_t kStrip = std::int64_t{1} << 18;  // numbers for one thread at a time

void copy_with_all_threads(const at::Tensor& from, const at::Tensor& to) {
  const std::int64_t strips = (from.numel() + kStrip - 1) / kStrip;
  at::parallel_for(0, strips, 1, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kStrip;
    const std::int64_t count = std::min(end * kStrip, from.numel()) - first;
    to.narrow(0, first, count).copy_(from.narrow(0, first, count));
  });
}

}  // namespace

Sender::Sender(const at::Device& device, at::ScalarType type) : device_(device), type_(type) {
  if (device.is_cuda()) queue_ = c10::impl::VirtualGuardImpl(at::kCUDA).getStreamFromGlobalPool(device);
}

at::Tensor Sender::operator()(const at::Tensor& given) {
  if (!queue_ || !given.is_cpu()) return given.to(device_);
  const c10::Stream computing = c10::impl::VirtualGuardImpl(at::kCUDA).getStream(device_);
  at::Tensor there;
  {
    const c10::StreamGuard copying(*queue_);
    const bool much = bytes_sent_ >= kMuch && given.nbytes() >= kPieceBytes && given.is_contiguous();
    there = much ? through_pinned(given, computing) : given.to(device_);
  }
  bytes_sent_ += given.nbytes();
  there.record_stream(computing);
  return there;
}

// Once what it held has left.
Sender::Piece& Sender::next_piece() {
  Piece& piece = pieces_[taken_++ % pieces_.size()];
  if (!piece.sent) {
    piece.pinned = at::empty({kPieceBytes}, at::TensorOptions().dtype(at::kByte).pinned_memory(true));
    piece.sent.emplace(at::kCUDA);
  } else {
    while (!piece.sent->query()) std::this_thread::yield();
  }
  return piece;
}

at::Tensor Sender::through_pinned(const at::Tensor& given, const c10::Stream& computing) {
  const at::ScalarType type = given.scalar_type() == at::kFloat ? type_ : given.scalar_type();
  at::Tensor there = at::empty(given.sizes(), at::TensorOptions(device_).dtype(type));
  const at::Tensor from = given.view({-1});
  const at::Tensor to = there.view({-1});
  const auto step = kPieceBytes / static_cast<std::int64_t>(there.element_size());
  for (std::int64_t first = 0; first < from.numel(); first += step) {
    const std::int64_t count = std::min(step, from.numel() - first);
    Piece& piece = next_piece();
    const at::Tensor pinned = at::from_blob(piece.pinned.data_ptr(), {count}, type);
    copy_with_all_threads(from.narrow(0, first, count), pinned);
    to.narrow(0, first, count).copy_(pinned, /*non_blocking=*/true);
    piece.sent->record(*queue_);
  }
  // The network waits for the last piece, the caller does not.
  pieces_[(taken_ - 1) % pieces_.size()].sent->block(computing);
  return there;
}

}  // namespace atcav::plugin
