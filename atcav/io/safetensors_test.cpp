#include "atcav/io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::io {
namespace {

using testing::ThrowsMessage;
using std::string_literals::operator""s;

std::string safetensors(const std::string& header, const std::string& data) {
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size() % 256);
  length[1] = static_cast<char>(header.size() / 256);
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

}  // namespace
}  // namespace atcav::io
