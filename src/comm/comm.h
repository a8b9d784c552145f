#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "atcav/ranks.h"

// The ranks of this run: `mpirun -n 4 atcav run …` in a build with ATCAV_MPI shares the examples between four
// networks; a caller that has ranks of its own hands them in. Otherwise there is one process, rank 0.
//
// All ranks make the same calls in the same order, from one thread at a time. A rank that is lost ends all
// (mpirun sees to that); one that fails says so and calls abort.
namespace atcav::comm {

int rank();  // 0 is the one that analyses and writes
int size();
int local_rank();  // among the ranks on this machine

// Afterwards all have what `from` had. MPI's bytes go from rank to rank in a ring, so each sends them at most
// once.
void broadcast(std::span<std::byte> bytes, int from);

// The same for a matrix, a vector or a string whose size all know; rows must lie behind each other.
template <typename Values>
void broadcast_values(Values&& values, int from) {
  broadcast(std::as_writable_bytes(std::span(values.data(), static_cast<std::size_t>(values.size()))), from);
}

// What this rank has sent so far.
std::int64_t bytes_sent();

// As long as it is there the functions above are about these ranks instead of the program's own; nullptr
// changes nothing. std::invalid_argument where others are there already.
class HandedIn {
 public:
  explicit HandedIn(std::shared_ptr<Ranks> ranks);
  ~HandedIn();
  HandedIn(const HandedIn&) = delete;
  HandedIn& operator=(const HandedIn&) = delete;

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
