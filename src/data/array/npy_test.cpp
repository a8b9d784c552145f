#include "data/array/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

using testing::StartsWith;
using testing::ThrowsMessage;
using testing_support::TempFolder;

// A .npy file put together by hand.
std::string npy(char version, const std::string& header, const std::string& data) {
  std::string length(version == 1 ? 2 : 4, '\0');
  length[0] = static_cast<char>(header.size());
  return std::string("\x93NUMPY") + version + '\0' + length + header + data;
}

const std::string kTwoByTwo = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n";
const std::string kData = {"\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40", 16};  // 1 2 3 4

TEST(ReadNpy, AllVersions) {
  const MatrixF expected = (MatrixF(2, 2) << 1, 2, 3, 4).finished();
  for (const char version : {1, 2, 3}) {
    const Array array = read_npy(read_memory(npy(version, kTwoByTwo, kData), "x.npy"));
    EXPECT_EQ(array.name(), "x.npy");
    EXPECT_EQ(array.dtype(), Dtype::kF32);
    EXPECT_EQ(array.read_float(), expected);
  }
}

TEST(ReadNpy, FortranOrderAndBigEndian) {
  const std::string header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }\n";
  const Array array = read_npy(read_memory(npy(1, header, std::string("\0\1\0\2\0\3\0\4", 8))));
  EXPECT_EQ(array.read_float(), (MatrixF(2, 2) << 1, 3, 2, 4).finished());
}

TEST(ReadNpy, EmptyArrayIsFine) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }\n";
  EXPECT_EQ(read_npy(read_memory(npy(1, header, ""))).rows(), 0);
}

void expect_refused(std::string bytes, const std::string& message) {
  EXPECT_THAT([&] { read_npy(read_memory(std::move(bytes), "x.npy")); },
              ThrowsMessage<std::runtime_error>("[read_npy] x.npy: " + message));
}

TEST(ReadNpy, CorruptFilesAreRefusedWithAReason) {
  const std::string good = npy(1, kTwoByTwo, kData);
  expect_refused("", "is not a .npy file, begins with ''");
  expect_refused("PK\3\4 and so on", "is not a .npy file, begins with 'PK\\x03\\x04 a'");
  expect_refused(good.substr(0, 7), "is cut short after 7 bytes");
  expect_refused(good.substr(0, 9), "is cut short after 9 bytes");
  expect_refused(npy(2, kTwoByTwo, kData).substr(0, 11), "is cut short after 11 bytes");
  expect_refused(npy(4, kTwoByTwo, kData), "has .npy version 4, must be 1, 2 or 3");
  expect_refused(good.substr(0, 20), "header should have 60 bytes but the file ends after 10");
  expect_refused(good.substr(0, good.size() - 1),
                 "shape (2, 2) of f4 needs 16 bytes of data, the file has 15");
  expect_refused(good + "x", "shape (2, 2) of f4 needs 16 bytes of data, the file has 17");

  std::string lying = npy(2, kTwoByTwo, kData);
  lying.replace(8, 4, "\xff\xff\xff\xff");
  expect_refused(lying, "header should have 4294967295 bytes but the file ends after 76");

  const auto with_shape = [](const std::string& shape) {
    return npy(1, "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}", "");
  };
  expect_refused(with_shape("(4611686018427387904, 4)"), "shape (4611686018427387904, 4) is too large");
  // 2^32 · 2^32 elements of 8 bytes are 0 bytes when counted in 64 bits.
  expect_refused(with_shape("(4294967296, 4294967296)"), "shape (4294967296, 4294967296) is too large");
  expect_refused(with_shape("(0, 9223372036854775807, 4)"), "shape (0, 9223372036854775807, 4) is too large");
  expect_refused(with_shape("(1000000000000,)"),
                 "shape (1000000000000,) of f8 needs 8000000000000 bytes of data, the file has 0");
}

TEST(ReadNpy, EveryPrefixIsRefused) {
  const std::string good = npy(1, kTwoByTwo, kData);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(read_npy(read_memory(good.substr(0, size))), std::runtime_error) << size;
  }
}

// A file with this header and so many bytes of data.
Array parse(const std::string& header, std::size_t bytes = 0) {
  return read_npy(read_memory(npy(1, header, std::string(bytes, '\0')), "x.npy"));
}

TEST(NpyHeader, AsNumpyWritesIt) {
  const Array array = parse("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }     \n", 48);
  EXPECT_EQ(array.dtype(), Dtype::kF32);
  EXPECT_EQ(array.shape(), (Shape{3, 4}));
}

TEST(NpyHeader, OtherSpellings) {
  const Array array = parse("{\"shape\":(5L,),\"fortran_order\":True,\"descr\":\">i8\"}", 40);
  EXPECT_EQ(array.dtype(), Dtype::kI64);
  EXPECT_EQ(array.shape(), (Shape{5}));
  EXPECT_EQ(parse("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", 1).shape(), Shape{});
  EXPECT_EQ(parse("{'descr': '|u1', 'fortran_order': False, 'shape': (2,3,)}", 6).shape(), (Shape{2, 3}));
}

struct Case {
  const char* text;
  const char* message;
};

TEST(NpyHeader, EverythingElseIsRefusedWithAReason) {
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

TEST(NpyHeader, ZeroByteIsNotTheEnd) { EXPECT_THROW(parse(std::string("{\0}", 3)), std::runtime_error); }

TEST(WriteNpy, BytesAreNumpys) {
  const TempFolder folder;
  const MatrixF values = (MatrixF(2, 2) << 1, 2, 3, 4).finished();
  write_npy(folder.file("a.npy"), values);
  // What numpy.save writes: the header padded so that data begin at byte 128.
  std::string header = kTwoByTwo;
  header.pop_back();
  header.resize(117, ' ');
  EXPECT_EQ(folder.read("a.npy"), npy(1, header + "\n", kData));
}

TEST(WriteNpy, RoundTrip) {
  const TempFolder folder;
  const Matrix doubles = Matrix::Random(7, 3);
  write_npy(folder.file("d.npy"), doubles);
  EXPECT_EQ(read_npy(open_file(folder.file("d.npy"))).read_double(), doubles);

  const std::vector<std::int64_t> ids = {1, -2, std::int64_t{1} << 60, 4, 5, 6};
  write_npy(folder.file("i.npy"), TensorView(ids, {1, 2, 3}));
  const Array array = read_npy(open_file(folder.file("i.npy")));
  EXPECT_EQ(array.shape(), (Shape{1, 2, 3}));
  EXPECT_EQ(array.read_int64(), ids);
}

TEST(WriteNpy, Bfloat16IsRefused) {
  const std::array<std::byte, 2> bytes{};
  EXPECT_THAT(
      [&] { write_npy("unused.npy", TensorView(Dtype::kBF16, bytes, {1})); },
      ThrowsMessage<std::invalid_argument>("[write_npy] dtype is BF16, which .npy files cannot hold"));
}

}  // namespace
}  // namespace atcav::data
