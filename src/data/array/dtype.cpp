#include "data/array/dtype.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "core/check.h"

namespace atcav::data {
namespace {

struct DtypeEntry {
  std::string_view name, npy;
  std::size_t size;
};

// In the order of the enum.
constexpr std::array<DtypeEntry, 10> kEntries = {{{"BOOL", "b1", 1},
                                                  {"U8", "u1", 1},
                                                  {"I8", "i1", 1},
                                                  {"I16", "i2", 2},
                                                  {"I32", "i4", 4},
                                                  {"I64", "i8", 8},
                                                  {"F16", "f2", 2},
                                                  {"BF16", "", 2},
                                                  {"F32", "f4", 4},
                                                  {"F64", "f8", 8}}};

const DtypeEntry& entry(Dtype dtype) { return kEntries[static_cast<std::size_t>(dtype)]; }

std::optional<Dtype> find(std::string_view text, std::string_view DtypeEntry::*field) {
  const auto* found = std::ranges::find_if(kEntries, [&](const DtypeEntry& e) { return e.*field == text; });
  if (text.empty() || found == kEntries.end()) return std::nullopt;
  return static_cast<Dtype>(found - kEntries.begin());
}

static_assert(std::endian::native == std::endian::little, "files are mapped, not translated");

// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. Written without branches or subnormal
// floats, so that loops over it vectorise and a flush-to-zero mode set by someone else does no harm.
float half_to_float(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffu;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  const auto subnormal = std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  const std::uint32_t special = (magnitude << 13) | 0x7f800000u;
  const std::uint32_t finite = magnitude < 0x0400u ? subnormal : normal;
  return std::bit_cast<float>(sign | (magnitude < 0x7c00u ? finite : special));
}

// The upper half of a float32.
float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint8_t swapped(std::uint8_t bits) { return bits; }
std::uint16_t swapped(std::uint16_t bits) { return __builtin_bswap16(bits); }
std::uint32_t swapped(std::uint32_t bits) { return __builtin_bswap32(bits); }
std::uint64_t swapped(std::uint64_t bits) { return __builtin_bswap64(bits); }

// Elements stored as Bits, whose meaning `value` knows.
template <typename Bits, typename T, typename Value>
void convert_as(bool swap, const std::byte* from, Index count, T* to, const Value& value) {
  for (Index i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, from + static_cast<std::size_t>(i) * sizeof(Bits), sizeof(Bits));
    to[i] = static_cast<T>(+value(swap ? swapped(bits) : bits));
  }
}

template <typename T>
void convert_any(Dtype dtype, bool swap, const std::byte* from, Index count, T* to) {
  using std::bit_cast;
  switch (dtype) {
    case Dtype::kBool:
      return convert_as<std::uint8_t>(swap, from, count, to, [](auto bits) { return bits != 0 ? 1 : 0; });
    case Dtype::kU8:
      return convert_as<std::uint8_t>(swap, from, count, to, [](auto bits) { return bits; });
    case Dtype::kI8:
      return convert_as<std::uint8_t>(swap, from, count, to, bit_cast<std::int8_t, std::uint8_t>);
    case Dtype::kI16:
      return convert_as<std::uint16_t>(swap, from, count, to, bit_cast<std::int16_t, std::uint16_t>);
    case Dtype::kI32:
      return convert_as<std::uint32_t>(swap, from, count, to, bit_cast<std::int32_t, std::uint32_t>);
    case Dtype::kI64:
      return convert_as<std::uint64_t>(swap, from, count, to, bit_cast<std::int64_t, std::uint64_t>);
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (dtype) {
      case Dtype::kF16:
        return convert_as<std::uint16_t>(swap, from, count, to, half_to_float);
      case Dtype::kBF16:
        return convert_as<std::uint16_t>(swap, from, count, to, bfloat16_to_float);
      case Dtype::kF32:
        return convert_as<std::uint32_t>(swap, from, count, to, bit_cast<float, std::uint32_t>);
      default:
        return convert_as<std::uint64_t>(swap, from, count, to, bit_cast<double, std::uint64_t>);
    }
  }
  fail_argument("convert", "dtype is a float, must be an integer type");
}

}  // namespace

std::size_t item_size(Dtype dtype) { return entry(dtype).size; }
bool is_integer(Dtype dtype) { return dtype <= Dtype::kI64; }
std::string_view dtype_name(Dtype dtype) { return entry(dtype).name; }
std::optional<Dtype> find_dtype(std::string_view name) { return find(name, &DtypeEntry::name); }
std::string_view npy_code(Dtype dtype) { return entry(dtype).npy; }
std::optional<Dtype> find_npy_code(std::string_view code) { return find(code, &DtypeEntry::npy); }

std::optional<std::size_t> byte_size(const Shape& shape, Dtype dtype) {
  Index bytes = static_cast<Index>(item_size(dtype));
  bool empty = false;
  for (const Index size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, size, &bytes)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : static_cast<std::size_t>(bytes);
}

std::string to_string(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

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

}  // namespace atcav::data
