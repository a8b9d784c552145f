#include <mpi.h>

#include <array>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "atcav/comm/comm.h"

namespace atcav::comm {
namespace {

// MPI's own waiting keeps a processor busy that the other ranks of the machine may need.
void wait(MPI_Request request) {
  constexpr int kBusyTries = 1000;
  constexpr auto kPause = std::chrono::microseconds(100);
  for (int tries = 0;; ++tries) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (tries > kBusyTries) std::this_thread::sleep_for(kPause);
  }
}

void finish() {
  MPI_Request all_there = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_there);
  wait(all_there);
  MPI_Finalize();
}

// MPI starts at the first question and ends with the program.
void start() {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  std::atexit(finish);
}

}  // namespace

int rank() {
  start();
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}

int size() {
  start();
  int value = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}

int local_rank() {
  start();
  static const int value = [] {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int own = 0;
    MPI_Comm_rank(machine, &own);
    MPI_Comm_free(&machine);
    return own;
  }();
  return value;
}

void send(const MatrixFRef& values, int to) {
  if (values.size() > INT_MAX)
    throw std::runtime_error("[send] a block has more than 2^31 values: use a smaller batch");
  const std::array<std::int64_t, 2> shape = {values.rows(), values.cols()};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(shape.data(), 2, MPI_INT64_T, to, 0, MPI_COMM_WORLD, &request);
  wait(request);
  MPI_Isend(values.data(), static_cast<int>(values.size()), MPI_FLOAT, to, 1, MPI_COMM_WORLD, &request);
  wait(request);
}

MatrixF receive(int from) {
  std::array<std::int64_t, 2> shape{};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(shape.data(), 2, MPI_INT64_T, from, 0, MPI_COMM_WORLD, &request);
  wait(request);
  MatrixF values(shape[0], shape[1]);
  MPI_Irecv(values.data(), static_cast<int>(values.size()), MPI_FLOAT, from, 1, MPI_COMM_WORLD, &request);
  wait(request);
  return values;
}

void abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

}  // namespace atcav::comm
