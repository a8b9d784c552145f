#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "atcav/ranks.h"

// The ranks of this run: `mpirun -n 4 atcav run …` in a build with ATCAV_MPI shares the examples between four
// networks; callers may pass their own ranks (ScopedRanks). Otherwise there is one process, rank 0.
//
// All ranks make the same calls in the same order, from one thread at a time. If a rank is lost mpirun ends
// all others; a rank that fails reports the error and calls abort.
namespace atcav::comm {

int rank();  // 0 is the one that analyses and writes
int size();
int local_rank();  // among the ranks on this machine

// From rank `from` to all. With MPI, bytes go from rank to rank in a ring, so each sends them at most
// once.
void broadcast(std::span<std::byte> bytes, int from);

// The same for a matrix, a vector or a string whose size all know; rows must lie behind each other.
template <typename Values>
void broadcast_values(Values&& values, int from) {
  broadcast(std::as_writable_bytes(std::span(values.data(), static_cast<std::size_t>(values.size()))), from);
}

// By this rank so far.
std::int64_t bytes_sent();

// While it exists the functions above use these ranks instead of the program's own; nullptr changes nothing.
// std::invalid_argument if other ranks are in use already.
class ScopedRanks {
 public:
  explicit ScopedRanks(std::shared_ptr<Ranks> ranks);
  ~ScopedRanks();
  ScopedRanks(const ScopedRanks&) = delete;
  ScopedRanks& operator=(const ScopedRanks&) = delete;

 private:
  std::shared_ptr<Ranks> ranks_;
};

// The program's own: mpi.cpp or single.cpp.
Ranks& own_ranks();
// Ends all of the program's ranks at once, because this one failed and the others would wait for ever.
[[noreturn]] void abort(int exit_code);
// Ends the program, when it has written everything. Without MPI at once: LibTorch with CUDA would take itself
// apart for up to a third of a second.
[[noreturn]] void leave(int exit_code);

}  // namespace atcav::comm
