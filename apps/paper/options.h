#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "atcav/base/matrix.h"

namespace atcav::paper {

struct PaperOptions {
  Index repeats = 50;  // of each experiment on a model; simulations take fixed multiples of it, so that
                       // their standard errors shrink as 1/√repeats
  std::uint64_t seed = 0;
  int threads = 0;  // 0: all available; never changes a result
  // Called between pieces of work, from one thread; may throw to stop it.
  std::function<void(const std::string& stage, Index done, Index total)> progress = {};
};

}  // namespace atcav::paper
