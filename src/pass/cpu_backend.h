#pragma once

#include "pass/backend.h"

namespace atcav::pass {

// The pass in memory, for rows from anywhere, scratch files included. Names row and column of a value that is
// not finite. Results do not depend on the number of threads.
// The centre is the mean of the first so many rows of the first set, or of fewer where those are too large to
// wait for each other (32 MB).
inline constexpr Index kPilotRows = 64;

std::shared_ptr<PassBackend> start_cpu_backend(const BackendOptions& options);

}  // namespace atcav::pass
