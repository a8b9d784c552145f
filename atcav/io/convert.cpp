#include "atcav/io/convert.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "atcav/base/check.h"
#include "atcav/io/half.h"

namespace atcav::io {
namespace {

static_assert(std::endian::native == std::endian::little, "files are mapped, not translated");

// One element type: the bits as stored and the value they mean.
template <typename StoredBits, typename StoredValue>
struct Plain {
  using Bits = StoredBits;
  static StoredValue value(Bits bits) { return std::bit_cast<StoredValue>(bits); }
};
template <float (*decode)(std::uint16_t)>
struct Sixteen {
  using Bits = std::uint16_t;
  static float value(Bits bits) { return decode(bits); }
};
struct Bool {
  using Bits = std::uint8_t;
  static std::uint8_t value(Bits bits) { return bits != 0 ? 1 : 0; }
};
struct Int8 {
  using Bits = std::uint8_t;
  static int value(Bits bits) { return bits < 128 ? bits : bits - 256; }
};

std::uint8_t swapped(std::uint8_t bits) { return bits; }
std::uint16_t swapped(std::uint16_t bits) { return __builtin_bswap16(bits); }
std::uint32_t swapped(std::uint32_t bits) { return __builtin_bswap32(bits); }
std::uint64_t swapped(std::uint64_t bits) { return __builtin_bswap64(bits); }

template <typename Element, bool swap, typename T>
void convert_loop(const std::byte* from, Index count, T* to) {
  using Bits = typename Element::Bits;
  for (Index i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, from + static_cast<std::size_t>(i) * sizeof(Bits), sizeof(Bits));
    if constexpr (swap) bits = swapped(bits);
    to[i] = static_cast<T>(Element::value(bits));
  }
}

template <typename Element, typename T>
void convert_as(bool big_endian, const std::byte* from, Index count, T* to) {
  if (big_endian) {
    convert_loop<Element, true>(from, count, to);
  } else {
    convert_loop<Element, false>(from, count, to);
  }
}

template <typename T>
void convert_any(Dtype dtype, bool big_endian, const std::byte* from, Index count, T* to) {
  switch (dtype) {
    case Dtype::kBool:
      return convert_as<Bool>(big_endian, from, count, to);
    case Dtype::kU8:
      return convert_as<Plain<std::uint8_t, std::uint8_t>>(big_endian, from, count, to);
    case Dtype::kI8:
      return convert_as<Int8>(big_endian, from, count, to);
    case Dtype::kI16:
      return convert_as<Plain<std::uint16_t, std::int16_t>>(big_endian, from, count, to);
    case Dtype::kI32:
      return convert_as<Plain<std::uint32_t, std::int32_t>>(big_endian, from, count, to);
    case Dtype::kI64:
      return convert_as<Plain<std::uint64_t, std::int64_t>>(big_endian, from, count, to);
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (dtype) {
      case Dtype::kF16:
        return convert_as<Sixteen<half_to_float>>(big_endian, from, count, to);
      case Dtype::kBF16:
        return convert_as<Sixteen<bfloat16_to_float>>(big_endian, from, count, to);
      case Dtype::kF32:
        return convert_as<Plain<std::uint32_t, float>>(big_endian, from, count, to);
      default:
        return convert_as<Plain<std::uint64_t, double>>(big_endian, from, count, to);
    }
  }
  fail_argument("convert", "dtype is a float, must be an integer type");
}

}  // namespace

void convert(Dtype dtype, bool big_endian, const std::byte* from, Index count, float* to) {
  if (dtype == Dtype::kF32 && !big_endian) {
    if (count > 0) std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
  } else {
    convert_any(dtype, big_endian, from, count, to);
  }
}

void convert(Dtype dtype, bool big_endian, const std::byte* from, Index count, double* to) {
  convert_any(dtype, big_endian, from, count, to);
}

void convert(Dtype dtype, bool big_endian, const std::byte* from, Index count, std::int64_t* to) {
  convert_any(dtype, big_endian, from, count, to);
}

}  // namespace atcav::io
