#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Several processes at one run: `mpirun -n 4 atcav run …` in a build with ATCAV_MPI shares the examples
// between four networks. Without MPI there is one process, rank 0.
//
// All ranks make the same calls in the same order, from one thread at a time. A rank that is lost ends all
// (mpirun sees to that); one that fails says so and calls abort.
namespace atcav::comm {

int rank();  // 0 is the one that analyses and writes
int size();
int local_rank();  // among the ranks on this machine

// Afterwards all have what `from` had. Bytes go from rank to rank in a ring, so each sends them at most once.
void broadcast(std::span<std::byte> bytes, int from);

// The same for a matrix, a vector or a string whose size all know; rows must lie behind each other.
template <typename Values>
void broadcast_values(Values&& values, int from) {
  broadcast(std::as_writable_bytes(std::span(values.data(), static_cast<std::size_t>(values.size()))), from);
}

// What this rank has sent so far.
std::int64_t bytes_sent();

// Ends all ranks at once, because this one failed and the others would wait for ever.
[[noreturn]] void abort(int exit_code);

}  // namespace atcav::comm
