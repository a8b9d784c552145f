#include "data/array/safetensors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

using testing::StartsWith;
using testing::ThrowsMessage;
using testing_support::TempFolder;
using std::string_literals::operator""s;

std::string safetensors(const std::string& header, const std::string& data) {
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i));
  return length + header + data;
}

Safetensors read(const std::string& header, const std::string& data) {
  return read_safetensors(read_memory(safetensors(header, data), "x.safetensors"));
}

TEST(ReadSafetensors, EveryDtype) {
  const Safetensors file = read(R"({
      "half": {"dtype": "F16", "shape": [1, 2], "data_offsets": [0, 4]},
      "brain": {"dtype": "BF16", "shape": [2], "data_offsets": [4, 8]},
      "float": {"dtype": "F32", "shape": [1], "data_offsets": [8, 12]},
      "double": {"dtype": "F64", "shape": [1], "data_offsets": [12, 20]},
      "ids": {"dtype": "I64", "shape": [], "data_offsets": [20, 28]},
      "none": {"dtype": "F32", "shape": [0, 4], "data_offsets": [28, 28]},
      "__metadata__": {"format": "pt"}})",
                                "\x00\x3c\x00\xc0"s + "\x80\x3f\x00\xc0"s + "\x00\x00\x80\x3f"s +
                                    "\0\0\0\0\0\0\xf8\x3f"s + "\7\0\0\0\0\0\0\0"s);
  EXPECT_EQ(file.tensor("half").read_float(), (MatrixF(1, 2) << 1, -2).finished());
  EXPECT_EQ(file.tensor("brain").read_float(), (MatrixF(2, 1) << 1, -2).finished());
  EXPECT_EQ(file.tensor("float").read_float()(0, 0), 1);
  EXPECT_EQ(file.tensor("double").read_double()(0, 0), 1.5);
  EXPECT_EQ(file.tensor("ids").read_int64(), std::vector<std::int64_t>{7});
  EXPECT_EQ(file.tensor("none").columns(), 4);
  EXPECT_EQ(file.tensor("half").name(), "x.safetensors:half");
  EXPECT_EQ(file.metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
  EXPECT_EQ(file.names().size(), 6u);
}

TEST(ReadSafetensors, PaddedHeader) {
  EXPECT_EQ(read(R"({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}     )", "\5")
                .tensor("a")
                .read_int64(),
            std::vector<std::int64_t>{5});
}

TEST(ReadSafetensors, MissingTensorNamesTheOthers) {
  const Safetensors file = read(R"({"conv1": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
                                    "linear": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}})",
                                "ab");
  EXPECT_THAT([&] { file.tensor("conv2"); },
              ThrowsMessage<std::runtime_error>(
                  "[read_safetensors] x.safetensors: has no tensor 'conv2'; it has 'conv1', 'linear'"));
}

void expect_refused(std::string bytes, const std::string& message) {
  EXPECT_THAT([&] { read_safetensors(read_memory(std::move(bytes), "x.safetensors")); },
              ThrowsMessage<std::runtime_error>("[read_safetensors] x.safetensors: " + message));
}

TEST(ReadSafetensors, LengthsThatLie) {
  expect_refused("", "is cut short after 0 bytes");
  expect_refused("1234567", "is cut short after 7 bytes");
  expect_refused("\xff\xff\xff\xff\xff\xff\xff\xff{}"s,
                 "header should have 18446744073709551615 bytes, more than 100 MB");
  expect_refused("\x01\xe1\xf5\x05\0\0\0\0{}"s, "header should have 100000001 bytes, more than 100 MB");
  expect_refused("\3\0\0\0\0\0\0\0{}"s, "header should have 3 bytes but the file ends after 2");
}

TEST(ReadSafetensors, TensorsMustCoverTheData) {
  const std::string first = R"({"a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}, "b": )";
  const auto second = [&](const std::string& rest) {
    return first + R"({"dtype": "U8", "shape": [2], )" + rest + "}}";
  };
  expect_refused(safetensors(second(R"("data_offsets": [1, 3])"), "abc"),
                 "tensor 'b' begins at 1, overlapping another that ends at 2");
  expect_refused(safetensors(second(R"("data_offsets": [3, 5])"), "abcde"),
                 "tensor 'b' begins at 3, leaving a gap after the one that ends at 2");
  expect_refused(safetensors(second(R"("data_offsets": [2, 4])"), "abcde"),
                 "tensors end at 4 but the file has 5 bytes of data");
  expect_refused(safetensors(second(R"("data_offsets": [2, 4])"), "abc"),
                 "tensors end at 4 but the file has 3 bytes of data");
  expect_refused(safetensors("{}", "a"), "tensors end at 0 but the file has 1 bytes of data");
}

TEST(ReadSafetensors, EveryPrefixIsRefused) {
  const std::string good =
      safetensors(R"({"a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}})", "xy");
  EXPECT_NO_THROW(read_safetensors(read_memory(good)));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(read_safetensors(read_memory(good.substr(0, size))), std::runtime_error) << size;
  }
}

void expect_header_refused(const std::string& header, const std::string& message) {
  EXPECT_THAT([&] { read(header, ""); },
              ThrowsMessage<std::runtime_error>(StartsWith("[read_safetensors] x.safetensors: " + message)))
      << header.substr(0, 200);
}

// A header whose only tensor w has these fields.
std::string tensor(const std::string& fields) { return R"({"w": {)" + fields + "}}"; }

TEST(SafetensorsHeader, NotAHeader) {
  expect_header_refused("", "header is not valid JSON");
  expect_header_refused("{", "header is not valid JSON");
  expect_header_refused("{} {}", "header is not valid JSON");
  expect_header_refused("{\"\xff\": 1}", "header is not valid JSON");
  expect_header_refused("[]", "header is not a JSON object");
  expect_header_refused("3", "header is not a JSON object");
  expect_header_refused(std::string(1'000'000, '['), "header is not a JSON object");
  expect_header_refused(R"({"w": {"unknown": )" + std::string(1'000'000, '['), "header is not valid JSON");
  expect_header_refused(R"({"__metadata__": 3})", "__metadata__ is not a JSON object");
  expect_header_refused(R"({"__metadata__": {"a": 3}})", "__metadata__ 'a' is not a string");
}

TEST(SafetensorsHeader, UnknownFieldsArePassedOver) {
  const Safetensors file = read(
      R"({"w": {"more": {"shape": [9], "a": [1, "b", null]}, "dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})",
      "x");
  EXPECT_EQ(file.tensor("w").shape(), Shape{1});
}

TEST(SafetensorsHeader, NamesAndFieldsOnce) {
  const std::string good = R"({"dtype": "U8", "shape": [1], "data_offsets": [0, 1]})";
  expect_header_refused(R"({"w": )" + good + R"(, "w": )" + good + "}", "header has the name 'w' twice");
  expect_header_refused(tensor(R"("dtype": "U8", "dtype": "I8", "shape": [1], "data_offsets": [0, 1])"),
                        "header has the name 'dtype' twice");
}

TEST(SafetensorsHeader, FieldsOfTheWrongKind) {
  expect_header_refused(R"({"w": 3})", "tensor 'w': has no dtype");
  expect_header_refused(tensor(""), "tensor 'w': has no dtype");
  expect_header_refused(tensor(R"("dtype": 3)"), "tensor 'w': dtype is not a string");
  expect_header_refused(tensor(R"("dtype": "F8_E4M3")"),
                        "tensor 'w': dtype 'F8_E4M3' is not supported, must be F16, BF16,");
  expect_header_refused(tensor(R"("dtype": "U8")"), "tensor 'w': has no shape");
  expect_header_refused(tensor(R"("dtype": "U8", "shape": 3)"), "tensor 'w': shape is not a list");
  for (const char* shape : {"[-1]", "[1.5]", "[\"a\"]", "[[[[1]]]]", "[9223372036854775808]", "[1e99]"}) {
    expect_header_refused(tensor(R"("dtype": "U8", "shape": )" + std::string(shape)),
                          "tensor 'w': shape must hold whole numbers from 0 to 2^63-1");
  }
  expect_header_refused(tensor(R"("dtype": "U8", "shape": [1])"), "tensor 'w': has no data_offsets");
}

TEST(SafetensorsHeader, OffsetsMustMatchTheShape) {
  const auto offsets = [](const std::string& shape, const std::string& pair) {
    return tensor(R"("dtype": "F32", "shape": )" + shape + R"(, "data_offsets": )" + pair);
  };
  expect_header_refused(offsets("[2]", "[0]"), "tensor 'w': data_offsets must be [begin, end]");
  expect_header_refused(offsets("[2]", "[0, 8, 9]"), "tensor 'w': data_offsets must be [begin, end]");
  expect_header_refused(offsets("[2]", "[8, 0]"), "tensor 'w': data_offsets must be [begin, end]");
  expect_header_refused(offsets("[3, 4]", "[0, 20]"),
                        "tensor 'w': data_offsets span 20 bytes but shape (3, 4) of F32 needs 48");
  expect_header_refused(offsets("[4611686018427387904, 4]", "[0, 0]"),
                        "tensor 'w': shape (4611686018427387904, 4) is too large");
}

// A second for a header that would take minutes if any step looked at all names for each of them.
TEST(SafetensorsHeader, ManyTensorsTakeLittleTime) {
  std::string header = "{";
  constexpr int kTensors = 100'000;
  for (int i = 0; i < kTensors; ++i) {
    header += fmt::format(R"({}"t{}": {{"dtype": "U8", "shape": [1], "data_offsets": [{}, {}]}})",
                          i > 0 ? "," : "", i, i, i + 1);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read(header + "}", std::string(kTensors, 'x')).tensors.size(),
            static_cast<std::size_t>(kTensors));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(WriteSafetensors, KnownBytes) {
  const TempFolder folder;
  const MatrixF a = (MatrixF(1, 1) << 1).finished();
  const Vector b = Vector::Ones(1);
  write_safetensors(folder.file("x.safetensors"), {{"a", a}, {"b", b}}, {{"k", "v"}});
  const std::string header = R"({"__metadata__":{"k":"v"},)"
                             R"("a":{"data_offsets":[8,12],"dtype":"F32","shape":[1,1]},)"
                             R"("b":{"data_offsets":[0,8],"dtype":"F64","shape":[1]}})";
  ASSERT_EQ(header.size(), 135u);
  EXPECT_EQ(folder.read("x.safetensors"),
            "\x88\0\0\0\0\0\0\0"s + header + " " + "\0\0\0\0\0\0\xf0\x3f"s + "\0\0\x80\x3f"s);
}

TEST(WriteSafetensors, RoundTrip) {
  const TempFolder folder;
  const MatrixF floats = MatrixF::Random(3, 5);
  const Matrix doubles = Matrix::Random(2, 7);
  const std::vector<std::int64_t> ids = {1, -2, std::int64_t{1} << 60};
  const std::string path = folder.file("x.safetensors");
  write_safetensors(path, {{"floats", floats}, {"doubles", doubles}, {"ids", TensorView(ids, {3, 1, 1})}},
                    {{"concept", "gestreift – ü"}});
  const Safetensors file = read_safetensors(open_file(path));
  EXPECT_EQ(file.names(), (std::vector<std::string>{"doubles", "floats", "ids"}));
  EXPECT_EQ(file.metadata.at("concept"), "gestreift – ü");
  EXPECT_EQ(file.tensor("floats").read_float(), floats);
  EXPECT_EQ(file.tensor("doubles").read_double(), doubles);
  EXPECT_EQ(file.tensor("ids").shape(), (Shape{3, 1, 1}));
  EXPECT_EQ(file.tensor("ids").read_int64(), ids);
}

TEST(WriteSafetensors, NoTensorsIsAFileToo) {
  const TempFolder folder;
  write_safetensors(folder.file("x"), {});
  EXPECT_TRUE(read_safetensors(open_file(folder.file("x"))).tensors.empty());
}

TEST(WriteSafetensors, BadNamesAreRefused) {
  const MatrixF values = MatrixF::Ones(1, 1);
  EXPECT_THAT(
      [&] {
        write_safetensors("unused", {{"__metadata__", values}});
      },
      ThrowsMessage<std::invalid_argument>("[write_safetensors] no tensor may be called '__metadata__'"));
  EXPECT_THAT(
      [&] {
        write_safetensors("unused", {{"\xff", values}});
      },
      ThrowsMessage<std::invalid_argument>("[write_safetensors] a tensor name or metadata is not UTF-8"));
}

}  // namespace
}  // namespace atcav::data
