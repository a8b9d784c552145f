#pragma once

#include "atcav/base/matrix.h"

namespace atcav::span {

// Cosines between rows, ones on the diagonal. A zero row has cosine 0 with everything, itself included.
Matrix cosines_between(Matrix directions);

}  // namespace atcav::span
