#include "core/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "core/cpu_clones.h"

namespace atcav {
namespace {

template <typename Number>
void require(bool holds, std::string_view function, std::string_view name, Number value,
             std::string_view bound) {
  if (!holds) fail_argument(function, fmt::format("{} is {}, must be {}", name, value, bound));
}

template <typename Ref>
void check_all_finite(std::string_view function, std::string_view name, const Ref& values, Index first_row) {
  if (values.allFinite()) return;
  for (Index row = 0; row < values.rows(); ++row) {
    for (Index column = 0; column < values.cols(); ++column) {
      if (std::isfinite(values(row, column))) continue;
      fail_argument(function, fmt::format("{} is {} at row {}, column {}, must be finite", name,
                                          values(row, column), first_row + row, column));
    }
  }
}

constexpr std::uint32_t kInfiniteBits = 0x7f800000;

// Of the numbers without their signs: NaN and infinity are above all others.
ATCAV_CPU_CLONES
std::uint32_t largest_bits(const float* values, std::size_t count) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffU);
  return largest;
}

}  // namespace

void fail_argument(std::string_view function, std::string_view message) {
  throw std::invalid_argument(fmt::format("[{}] {}", function, message));
}

void check_positive(std::string_view function, std::string_view name, double value) {
  require(value > 0 && !std::isinf(value), function, name, value, "> 0");
}

void check_non_negative(std::string_view function, std::string_view name, double value) {
  require(value >= 0 && !std::isinf(value), function, name, value, ">= 0");
}

void check_fraction(std::string_view function, std::string_view name, double value) {
  require(value > 0 && value < 1, function, name, value, "between 0 and 1");
}

void check_at_least(std::string_view function, std::string_view name, Index value, Index least) {
  if (value < least) require(false, function, name, value, fmt::format("at least {}", least));
}

void check_within(std::string_view function, std::string_view name, Index value, Index least, Index most) {
  check_at_least(function, name, value, least);
  if (value > most) require(false, function, name, value, fmt::format("at most {}", most));
}

void check_finite(std::string_view function, std::string_view name, double value) {
  require(std::isfinite(value), function, name, value, "finite");
}

void check_same(std::string_view function, std::string_view what, std::string_view name_a, Index a,
                std::string_view name_b, Index b) {
  if (a != b) fail_argument(function, fmt::format("{} has {} {} but {} has {}", name_a, a, what, name_b, b));
}

bool all_finite(std::span<const float> values) {
  return largest_bits(values.data(), values.size()) < kInfiniteBits;
}

void check_finite(std::string_view function, std::string_view name, const MatrixRef& values) {
  check_all_finite(function, name, values, 0);
}

void check_finite(std::string_view function, std::string_view name, const MatrixFRef& values,
                  Index first_row) {
  check_all_finite(function, name, values, first_row);
}

}  // namespace atcav
