#pragma once

#include <span>
#include <string>
#include <string_view>

#include "atcav/matrix.h"

// Argument checks with one message shape: "[fit_cav] lambda is -1, must be > 0".
// Each throws std::invalid_argument; `function` is the caller's name and `name` the argument's.
namespace atcav {

[[noreturn]] void fail_argument(std::string_view function, std::string_view message);

void check_positive(std::string_view function, std::string_view name, double value);
void check_non_negative(std::string_view function, std::string_view name, double value);
// Open interval (0, 1): levels and probabilities.
void check_fraction(std::string_view function, std::string_view name, double value);
void check_at_least(std::string_view function, std::string_view name, Index value, Index least);
void check_within(std::string_view function, std::string_view name, Index value, Index least, Index most);
// Equal sizes, e.g. columns of two matrices; `what` says what is counted: "columns".
void check_same(std::string_view function, std::string_view what, std::string_view name_a, Index a,
                std::string_view name_b, Index b);
void check_finite(std::string_view function, std::string_view name, double value);
// Whether no number is NaN or infinite; as fast as memory, where Eigen's allFinite looks at a number at a
// time.
bool all_finite(std::span<const float> values);
// Names the first NaN or infinity by row and column.
void check_finite(std::string_view function, std::string_view name, const MatrixRef& values);
void check_finite(std::string_view function, std::string_view name, const MatrixFRef& values,
                  Index first_row = 0);

}  // namespace atcav
