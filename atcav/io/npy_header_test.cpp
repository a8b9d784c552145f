#include "atcav/io/npy_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::io {
namespace {

using testing::StartsWith;
using testing::ThrowsMessage;

NpyHeader parse(std::string_view text) { return parse_npy_header(text, "x.npy"); }

TEST(ParseNpyHeader, AsNumpyWritesIt) {
  const NpyHeader header = parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }     \n");
  EXPECT_EQ(header.dtype, Dtype::kF32);
  EXPECT_FALSE(header.layout.big_endian);
  EXPECT_FALSE(header.layout.fortran_order);
  EXPECT_EQ(header.shape, (Shape{3, 4}));
}

TEST(ParseNpyHeader, OtherSpellings) {
  const NpyHeader header = parse("{\"shape\":(5L,),\"fortran_order\":True,\"descr\":\">i8\"}");
  EXPECT_EQ(header.dtype, Dtype::kI64);
  EXPECT_TRUE(header.layout.big_endian);
  EXPECT_TRUE(header.layout.fortran_order);
  EXPECT_EQ(header.shape, (Shape{5}));
  EXPECT_EQ(parse("{'descr': '|b1', 'fortran_order': False, 'shape': ()}").shape, Shape{});
  EXPECT_EQ(parse("{'descr': '|u1', 'fortran_order': False, 'shape': (2,3,)}").shape, (Shape{2, 3}));
}

struct Case {
  const char* text;
  const char* message;
};

TEST(ParseNpyHeader, EverythingElseIsRefusedWithAReason) {
  const std::string many = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + [] {
    std::string ones;
    for (int i = 0; i < 65; ++i) ones += "1,";
    return ones;
  }() + ")}";
  const std::vector<Case> cases = {
      {"", "header must have '{' at byte 0, it ends"},
      {"[1]", "header must have '{' at byte 0, found '[1]'"},
      {"{}", "header has no key 'descr'"},
      {"{'descr': '<f4', 'fortran_order': False}", "header has no key 'shape'"},
      {"{'descr': '<f4', 'shape': (1,)}", "header has no key 'fortran_order'"},
      {"{'descr': '<f4', 'descr': '<f4'}", "header has the key 'descr' twice"},
      {"{'colour': 'red'}", "header has the unknown key 'colour'"},
      {"{'descr': '<c8'}", "dtype '<c8' is not supported, must be"},
      {"{'descr': '|f4'}", "dtype '|f4' is not supported, must be"},
      {"{'descr': '=f4'}", "dtype '=f4' is not supported, must be"},
      {"{'descr': ''}", "dtype '' is not supported, must be"},
      {"{'descr': '|S5'}", "dtype '|S5' is not supported, must be"},
      {"{'descr': '|O'}", "holds Python objects, must hold plain numbers"},
      {"{'descr': [('a', '<f4')]}", "holds a structured dtype, must hold plain numbers"},
      {"{'descr': ('<f4', (2,))}", "holds a structured dtype, must hold plain numbers"},
      {"{'descr': <f4}", "header must have a quoted word at byte 10, found '<f4}'"},
      {"{'descr': '<f4", "header ends inside a quoted word"},
      {"{'descr' '<f4'}", "header must have ':' at byte 9, found ''<f4'}'"},
      {"{'descr': '<f4' 'shape': (1,)}", "header must have '}' at byte 16, found"},
      {"{'fortran_order': 1}", "header must have True or False at byte 18, found '1}'"},
      {"{'shape': 3}", "header must have '(' at byte 10, found '3}'"},
      {"{'shape': (3)}", "header's shape is not a tuple, a comma is missing"},
      {"{'shape': (,)}", "header must have a dimension at byte 11, found ',)}'"},
      {"{'shape': (3 4)}", "header must have ',' or ')' at byte 13, found '4)}'"},
      {"{'shape': (3,", "header must have a dimension at byte 13, it ends"},
      {"{'shape': (-1,)}", "dimension -1 is negative"},
      {"{'shape': (99999999999999999999,)}", "dimension '99999999999999999999' is too large"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "header must have the end at byte 56"},
      {many.c_str(), "shape has more than 64 dimensions"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT([&] { parse(c.text); },
                ThrowsMessage<std::runtime_error>(StartsWith(std::string("[read_npy] x.npy: ") + c.message)));
  }
}

TEST(ParseNpyHeader, ZeroByteIsNotTheEnd) {
  EXPECT_THROW(parse(std::string_view("{\0}", 3)), std::runtime_error);
}

}  // namespace
}  // namespace atcav::io
