#include "atcav/io/npy_header.h"

#include <fmt/format.h>

#include <charconv>

#include "atcav/io/fail.h"

namespace atcav::io {
namespace {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

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
    for (const auto& [seen, key] : {std::pair(has_descr_, "descr"), std::pair(has_order_, "fortran_order"),
                                    std::pair(has_shape_, "shape")}) {
      if (!seen) fail(fmt::format("header has no key '{}'", key));
    }
    return header_;
  }

 private:
  void entry() {
    const std::string_view key = string();
    expect(':');
    if (key == "descr") {
      once(has_descr_, key);
      descr();
    } else if (key == "fortran_order") {
      once(has_order_, key);
      header_.layout.fortran_order = boolean();
    } else if (key == "shape") {
      once(has_shape_, key);
      shape();
    } else {
      fail(fmt::format("header has the unknown key {}", quote(key)));
    }
  }

  void once(bool& seen, std::string_view key) {
    if (seen) fail(fmt::format("header has the key '{}' twice", key));
    seen = true;
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
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::string_view file) {
  return Parser(text, file).parse();
}

}  // namespace atcav::io
