#include "atcav/base/check.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace atcav {
namespace {

template <typename Ref>
void check_all_finite(std::string_view function, std::string_view name, const Ref& values, Index first_row) {
  if (values.allFinite()) return;
  for (Index row = 0; row < values.rows(); ++row) {
    for (Index column = 0; column < values.cols(); ++column) {
      if (!std::isfinite(values(row, column))) {
        fail_argument(function, fmt::format("{} is {} at row {}, column {}, must be finite", name,
                                            values(row, column), first_row + row, column));
      }
    }
  }
}

}  // namespace

void fail_argument(std::string_view function, std::string_view message) {
  throw std::invalid_argument(fmt::format("[{}] {}", function, message));
}

void check_positive(std::string_view function, std::string_view name, double value) {
  if (!(value > 0) || std::isinf(value))
    fail_argument(function, fmt::format("{} is {}, must be > 0", name, value));
}

void check_non_negative(std::string_view function, std::string_view name, double value) {
  if (!(value >= 0) || std::isinf(value)) {
    fail_argument(function, fmt::format("{} is {}, must be >= 0", name, value));
  }
}

void check_fraction(std::string_view function, std::string_view name, double value) {
  if (!(value > 0 && value < 1)) {
    fail_argument(function, fmt::format("{} is {}, must be between 0 and 1", name, value));
  }
}

void check_at_least(std::string_view function, std::string_view name, Index value, Index least) {
  if (value < least)
    fail_argument(function, fmt::format("{} is {}, must be at least {}", name, value, least));
}

void check_same(std::string_view function, std::string_view what, std::string_view name_a, Index a,
                std::string_view name_b, Index b) {
  if (a != b) fail_argument(function, fmt::format("{} has {} {} but {} has {}", name_a, a, what, name_b, b));
}

void check_finite(std::string_view function, std::string_view name, double value) {
  if (!std::isfinite(value)) fail_argument(function, fmt::format("{} is {}, must be finite", name, value));
}

void check_finite(std::string_view function, std::string_view name, const MatrixRef& values) {
  check_all_finite(function, name, values, 0);
}

void check_finite(std::string_view function, std::string_view name, const MatrixFRef& values,
                  Index first_row) {
  check_all_finite(function, name, values, first_row);
}

}  // namespace atcav
