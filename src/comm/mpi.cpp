#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "comm/comm.h"

namespace atcav::comm {
namespace {

// One is sent on while the next is received further up the ring.
constexpr std::size_t kPiece = std::size_t{1} << 20;

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

class World : public Ranks {
 public:
  World() { start(); }

  int rank() const override {
    int value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &value);
    return value;
  }

  int size() const override {
    int value = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &value);
    return value;
  }

  int local_rank() const override {
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

  void broadcast(std::span<std::byte> bytes, int from) override {
    const int before = (rank() + size() - 1) % size();
    const int after = (rank() + 1) % size();
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(kPiece, bytes.size()));
      const int count = static_cast<int>(piece.size());
      MPI_Request request = MPI_REQUEST_NULL;
      if (rank() != from) {
        MPI_Irecv(piece.data(), count, MPI_BYTE, before, 0, MPI_COMM_WORLD, &request);
        wait(request);
      }
      if (after != from) {
        MPI_Isend(piece.data(), count, MPI_BYTE, after, 0, MPI_COMM_WORLD, &request);
        wait(request);
        sent_ += count;
      }
      bytes = bytes.subspan(piece.size());
    }
  }

  std::int64_t bytes_sent() const override { return sent_; }

 private:
  std::int64_t sent_ = 0;
};

}  // namespace

Ranks& own_ranks() {
  static World world;
  return world;
}

void abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

void leave(int exit_code) { std::exit(exit_code); }

}  // namespace atcav::comm
