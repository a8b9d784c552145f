#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "atcav/random.h"
#include "core/parallel.h"

// What the benchmarks share: a clock, proof before time, quick data.
namespace atcav::bench {

template <typename Function>
double seconds(Function&& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Processor time of all threads: on a machine that others use too, the steadier of the two.
template <typename Function>
double processor_seconds(Function&& function) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  function();
  return now() - start;
}

// A wrong answer has no time.
inline void prove(std::string_view what, double error, double tolerance) {
  fmt::print("  proof: {}: error {:.1e} (at most {:.0e})\n", what, error, tolerance);
  if (error <= tolerance) return;
  fmt::print("  WRONG\n");
  std::exit(1);
}

inline double relative_error(const Matrix& value, const Matrix& expected) {
  return (value - expected).norm() / expected.norm();
}

// Sums of four uniforms, scaled to variance 1, plus `mean`: near normal and made as fast as memory takes
// it. Row i depends on the seed and i alone.
inline MatrixF quick_rows(std::uint64_t seed, Index rows, Index columns, float mean) {
  MatrixF values(rows, columns);
  parallel_for(rows, 0, [&](Index i) {
    Stream stream(seed, {0, static_cast<std::uint64_t>(i)});
    for (Index j = 0; j < columns; ++j) {
      const std::uint64_t bits = stream.next();
      const auto sum =
          static_cast<float>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
      values(i, j) = mean + (sum - 131070.0F) * (1.7320508F / 65536.0F);
    }
  });
  return values;
}

}  // namespace atcav::bench
