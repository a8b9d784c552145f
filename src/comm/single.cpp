#include <cstdio>
#include <cstdlib>

#include "comm/comm.h"

namespace atcav::comm {
namespace {

class Single : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int local_rank() const override { return 0; }
  void broadcast(std::span<std::byte> /*bytes*/, int /*from*/) override {}
  std::int64_t bytes_sent() const override { return 0; }
};

}  // namespace

Ranks& own_ranks() {
  static Single single;
  return single;
}

void abort(int exit_code) { std::exit(exit_code); }

void leave(int exit_code) {
#ifdef __SANITIZE_ADDRESS__
  std::exit(exit_code);  // which looks for leaks
#else
  std::fflush(nullptr);
  std::_Exit(exit_code);
#endif
}

}  // namespace atcav::comm
