#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Several processes that share a run, each with its part of the examples. The caller passes the connection
// (Given in atcav/run.h); programs built with ATCAV_MPI use MPI without it.
//
// All ranks make the same calls in the same order, from one thread at a time.
namespace atcav {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;  // rank 0 analyses and returns the results
  virtual int size() const = 0;
  virtual int local_rank() const = 0;  // among the ranks on this machine
  // From rank `from` to all. std::runtime_error if a rank is lost.
  virtual void broadcast(std::span<std::byte> bytes, int from) = 0;
  // By this rank so far.
  virtual std::int64_t bytes_sent() const = 0;
};

}  // namespace atcav
