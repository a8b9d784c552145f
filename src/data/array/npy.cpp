#include "data/array/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>

#include "core/check.h"
#include "data/file/atomic_file.h"
#include "data/file/fail.h"

namespace atcav::data {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct NpyHeader {
  Dtype dtype = Dtype::kF32;
  ArrayLayout layout;
  Shape shape;
};

// Only this much Python is understood; nothing is evaluated.
class NpyHeaderParser {
 public:
  NpyHeaderParser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_space();
    if (position_ != text_.size()) fail_here("the end");
    for (const char* key : {"descr", "fortran_order", "shape"}) {
      if (!seen_.contains(key)) fail(fmt::format("header has no key '{}'", key));
    }
    return header_;
  }

 private:
  void entry() {
    const std::string_view key = string();
    if (!seen_.insert(key).second) fail(fmt::format("header has the key {} twice", quote(key)));
    expect(':');
    if (key == "descr") {
      descr();
    } else if (key == "fortran_order") {
      header_.layout.fortran_order = boolean();
    } else if (key == "shape") {
      shape();
    } else {
      fail(fmt::format("header has the unknown key {}", quote(key)));
    }
  }

  void descr() {
    if (peek() == '[' || peek() == '(') fail("holds a structured dtype, must hold plain numbers");
    const std::string_view descr = string();
    const std::string_view code = descr.substr(descr.empty() ? 0 : 1);
    if (code.starts_with('O')) fail("holds Python objects, must hold plain numbers");
    const std::optional<Dtype> dtype = find_npy_code(code);
    const char order = descr.empty() ? '\0' : descr.front();
    if (!dtype || !(order == '<' || order == '>' || (order == '|' && item_size(*dtype) == 1))) {
      fail(fmt::format("dtype {} is not supported, must be f2, f4, f8, i1, i2, i4, i8, u1 or b1 with < or >",
                       quote(descr)));
    }
    header_.dtype = *dtype;
    header_.layout.big_endian = order == '>';
  }

  void shape() {
    // NumPy's own limit is 64 dimensions.
    constexpr std::size_t kMostDimensions = 64;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail_here("',' or ')'");
      if (header_.shape.size() == kMostDimensions) fail("shape has more than 64 dimensions");
      header_.shape.push_back(integer());
      comma = accept(',');
    }
    // Python reads (3) as a number, not as a shape.
    if (header_.shape.size() == 1 && !comma) fail("header's shape is not a tuple, a comma is missing");
  }

  Index integer() {
    skip_space();
    Index value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) {
      fail(fmt::format("dimension {} is too large", quote({begin, static_cast<std::size_t>(end - begin)})));
    }
    if (error != std::errc()) fail_here("a dimension");
    if (value < 0) fail(fmt::format("dimension {} is negative", value));
    position_ += static_cast<std::size_t>(end - begin);
    // Python 2 wrote long integers as 3L.
    if (position_ < text_.size() && text_[position_] == 'L') ++position_;
    return value;
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)}) {
      if (text_.substr(position_).starts_with(word)) {
        position_ += std::string_view(word).size();
        return value;
      }
    }
    fail_here("True or False");
  }

  std::string_view string() {
    const char mark = peek();
    if (mark != '\'' && mark != '"') fail_here("a quoted word");
    const std::size_t begin = position_ + 1;
    const std::size_t end = text_.find(mark, begin);
    if (end == std::string_view::npos) fail("header ends inside a quoted word");
    position_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool accept(char character) {
    if (peek() != character || position_ == text_.size()) return false;
    ++position_;
    return true;
  }

  void expect(char character) {
    if (!accept(character)) fail_here(fmt::format("'{}'", character));
  }

  void skip_space() { position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()); }

  [[noreturn]] void fail_here(std::string_view expected) {
    const std::string found =
        position_ == text_.size() ? "it ends" : fmt::format("found {}", quote(text_.substr(position_, 12)));
    fail(fmt::format("header must have {} at byte {}, {}", expected, position_, found));
  }
  [[noreturn]] void fail(std::string_view message) { fail_file("read_npy", file_, message); }

  std::string_view text_;
  std::string_view file_;
  std::size_t position_ = 0;
  NpyHeader header_;
  std::set<std::string_view> seen_;
};

}  // namespace

Array read_npy(ReaderPtr reader) {
  const auto fail = [&](std::string_view message) { fail_file("read_npy", reader->name(), message); };
  const std::string start = reader->read(0, 12);
  if (!start.starts_with(kMagic))
    fail(fmt::format("is not a .npy file, begins with {}", quote(start.substr(0, 6))));
  if (start.size() < 8) fail(fmt::format("is cut short after {} bytes", start.size()));
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) fail(fmt::format("has .npy version {}, must be 1, 2 or 3", version));

  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t header_start = 8 + length_bytes;
  if (start.size() < header_start) fail(fmt::format("is cut short after {} bytes", start.size()));
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(start[8 + i])) << (8 * i);
  }
  if (length > reader->size() - header_start) {
    fail(fmt::format("header should have {} bytes but the file ends after {}", length,
                     reader->size() - header_start));
  }

  const std::string text = reader->read(header_start, length);
  NpyHeader header = NpyHeaderParser(text, reader->name()).parse();
  const std::size_t data_start = header_start + length;
  const std::size_t available = reader->size() - data_start;
  const std::optional<std::size_t> needed = byte_size(header.shape, header.dtype);
  if (!needed) fail(fmt::format("shape {} is too large", to_string(header.shape)));
  if (*needed != available) {
    fail(fmt::format("shape {} of {} needs {} bytes of data, the file has {}", to_string(header.shape),
                     npy_code(header.dtype), *needed, available));
  }
  std::string name = reader->name();
  // A row is spread over the whole file.
  if (header.layout.fortran_order && !reader->in_memory()) reader = read_memory(reader->read_all(), name);
  return {std::move(reader), std::move(name),         data_start,
          header.dtype,      std::move(header.shape), header.layout};
}

void write_npy(const std::string& path, const TensorView& tensor) {
  const std::string_view code = npy_code(tensor.dtype);
  if (code.empty()) {
    fail_argument("write_npy",
                  fmt::format("dtype is {}, which .npy files cannot hold", dtype_name(tensor.dtype)));
  }
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                                   item_size(tensor.dtype) == 1 ? '|' : '<', code, to_string(tensor.shape));
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  header.resize((kPrefix + header.size() + kAlignment) / kAlignment * kAlignment - kPrefix, ' ');
  header.back() = '\n';

  AtomicFile file(path);
  file.write(kMagic);
  file.write(std::string_view("\x01\x00", 2));
  const auto length = static_cast<std::uint16_t>(header.size());
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  file.write(tensor.bytes);
  file.commit();
}

}  // namespace atcav::data
