#include "atcav/io/dtype.h"

#include <algorithm>
#include <array>

namespace atcav::io {
namespace {

struct Entry {
  std::string_view name, npy;
  std::size_t size;
};

// In the order of the enum.
constexpr std::array<Entry, 10> kEntries = {{{"BOOL", "b1", 1},
                                             {"U8", "u1", 1},
                                             {"I8", "i1", 1},
                                             {"I16", "i2", 2},
                                             {"I32", "i4", 4},
                                             {"I64", "i8", 8},
                                             {"F16", "f2", 2},
                                             {"BF16", "", 2},
                                             {"F32", "f4", 4},
                                             {"F64", "f8", 8}}};

const Entry& entry(Dtype dtype) { return kEntries[static_cast<std::size_t>(dtype)]; }

std::optional<Dtype> find(std::string_view text, std::string_view Entry::*field) {
  const auto* found =
      std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return e.*field == text; });
  if (text.empty() || found == kEntries.end()) return std::nullopt;
  return static_cast<Dtype>(found - kEntries.begin());
}

}  // namespace

std::size_t item_size(Dtype dtype) { return entry(dtype).size; }
bool is_integer(Dtype dtype) { return dtype <= Dtype::kI64; }
std::string_view dtype_name(Dtype dtype) { return entry(dtype).name; }
std::optional<Dtype> find_dtype(std::string_view name) { return find(name, &Entry::name); }
std::string_view npy_code(Dtype dtype) { return entry(dtype).npy; }
std::optional<Dtype> find_npy_code(std::string_view code) { return find(code, &Entry::npy); }

}  // namespace atcav::io
