#include "atcav/random.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/check.h"

namespace atcav {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

Stream::Stream(std::uint64_t seed, std::initializer_list<std::uint64_t> key) : state_(mix(seed + kGolden)) {
  for (const std::uint64_t word : key) state_ = mix(state_ ^ mix(word + kGolden));
}

std::uint64_t Stream::next() {
  state_ += kGolden;
  return mix(state_);
}

double Stream::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

Index Stream::below(Index bound) {
  check_at_least("Stream::below", "bound", bound, 1);
  __extension__ using Wide = unsigned __int128;
  return static_cast<Index>((static_cast<Wide>(next()) * static_cast<Wide>(bound)) >> 64);
}

double Stream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

Matrix Stream::normal_matrix(Index rows, Index columns) {
  Matrix values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) values.data()[i] = normal();
  return values;
}

std::vector<Index> Stream::permutation(Index n) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = n - 1; i > 0; --i) std::swap(order[i], order[below(i + 1)]);
  return order;
}

std::uint64_t key_word(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

}  // namespace atcav
