#pragma once

#include "atcav/base/matrix.h"

// Several processes at one run: `mpirun -n 4 atcav run …` in a build with ATCAV_MPI shares the blocks of
// examples between four networks. Without MPI there is one process, rank 0.
namespace atcav::comm {

int rank();  // 0 is the one that gathers, analyses and writes
int size();
int local_rank();  // among the ranks on this machine

// A matrix to another rank, which must ask for it; each call belongs to one receive.
void send(const MatrixFRef& values, int to);
MatrixF receive(int from);

// Ends all ranks at once, because this one failed and the others would wait for ever.
[[noreturn]] void abort(int exit_code);

}  // namespace atcav::comm
