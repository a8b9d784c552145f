#pragma once

#include <functional>

#include "atcav/base/matrix.h"

// A parallel loop whose result does not depend on the number of threads, as long as body(i) writes
// only what belongs to i.
namespace atcav {

// Processors this process may run on (its affinity mask, not the machine's count).
int available_threads();

// Runs body(0) … body(count-1), each once, on up to `threads` threads (0: all available),
// on threads of their own, which no signal reaches; the caller waits.
// The first exception thrown by a body stops the loop and is thrown again here.
void parallel_for(Index count, int threads, const std::function<void(Index)>& body);

// To be called before a library with OpenMP in it is loaded. Its threads wait for each other by spinning, by
// default for so long that two runs on one machine take many times as long as one. Sets GOMP_SPINCOUNT, which
// OpenMP reads once, when it is loaded, unless the user did.
void limit_openmp_spinning();

}  // namespace atcav
