#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Several processes at one run, each with its part of the examples. What connects them is handed in (Given in
// atcav/run.h); programs built with ATCAV_MPI have MPI's by themselves.
//
// All ranks make the same calls in the same order, from one thread at a time.
namespace atcav {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;  // 0 is the one that analyses and gets the results
  virtual int size() const = 0;
  virtual int local_rank() const = 0;  // among the ranks on this machine
  // Afterwards all have what `from` had. std::runtime_error where a rank is lost.
  virtual void broadcast(std::span<std::byte> bytes, int from) = 0;
  // What this rank has sent so far.
  virtual std::int64_t bytes_sent() const = 0;
};

}  // namespace atcav
