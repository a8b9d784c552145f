#pragma once

#include <span>

namespace atcav {

// Whether no number is NaN or infinite; as fast as memory, where Eigen's allFinite looks at a number at a
// time.
bool all_finite(std::span<const float> values);

}  // namespace atcav
