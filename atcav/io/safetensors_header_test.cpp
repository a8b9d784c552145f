#include "atcav/io/safetensors_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::io {
namespace {

using testing::StartsWith;
using testing::ThrowsMessage;

TEST(ParseSafetensorsHeader, EntriesAndMetadata) {
  const SafetensorsHeader header = parse_safetensors_header(
      R"({"__metadata__": {"a": "b"}, "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]}})",
      "x");
  ASSERT_EQ(header.entries.size(), 1u);
  EXPECT_EQ(header.entries[0].name, "w");
  EXPECT_EQ(header.entries[0].dtype, Dtype::kF32);
  EXPECT_EQ(header.entries[0].shape, (Shape{2, 3}));
  EXPECT_EQ(header.entries[0].begin, 8u);
  EXPECT_EQ(header.entries[0].end, 32u);
  EXPECT_EQ(header.metadata.at("a"), "b");
}

void expect_refused(std::string_view text, const std::string& message) {
  EXPECT_THAT([&] { parse_safetensors_header(text, "x"); },
              ThrowsMessage<std::runtime_error>(StartsWith("[read_safetensors] x: " + message)))
      << text;
}

// A header whose only tensor w has these fields.
std::string tensor(const std::string& fields) { return R"({"w": {)" + fields + "}}"; }

TEST(ParseSafetensorsHeader, NotAHeader) {
  expect_refused("", "header is not valid JSON");
  expect_refused("{", "header is not valid JSON");
  expect_refused("{} {}", "header is not valid JSON");
  expect_refused("{\"\xff\": 1}", "header is not valid JSON");
  expect_refused("[]", "header is not a JSON object");
  expect_refused("3", "header is not a JSON object");
  expect_refused(std::string(1'000'000, '['), "header is not valid JSON");
  expect_refused(R"({"__metadata__": 3})", "__metadata__ is not a JSON object");
  expect_refused(R"({"__metadata__": {"a": 3}})", "__metadata__ 'a' is not a string");
}

TEST(ParseSafetensorsHeader, NamesAndFieldsOnce) {
  const std::string good = R"({"dtype": "U8", "shape": [1], "data_offsets": [0, 1]})";
  expect_refused(R"({"w": )" + good + R"(, "w": )" + good + "}", "header has the name 'w' twice");
  expect_refused(tensor(R"("dtype": "U8", "dtype": "I8", "shape": [1], "data_offsets": [0, 1])"),
                 "header has the name 'dtype' twice");
}

TEST(ParseSafetensorsHeader, FieldsOfTheWrongKind) {
  expect_refused(R"({"w": 3})", "tensor 'w': has no dtype");
  expect_refused(tensor(""), "tensor 'w': has no dtype");
  expect_refused(tensor(R"("dtype": 3)"), "tensor 'w': dtype is not a string");
  expect_refused(tensor(R"("dtype": "F8_E4M3")"),
                 "tensor 'w': dtype 'F8_E4M3' is not supported, must be F16, BF16,");
  expect_refused(tensor(R"("dtype": "U8")"), "tensor 'w': has no shape");
  expect_refused(tensor(R"("dtype": "U8", "shape": 3)"), "tensor 'w': shape is not a list");
  for (const char* shape : {"[-1]", "[1.5]", "[\"a\"]", "[[[[1]]]]", "[9223372036854775808]", "[1e99]"}) {
    expect_refused(tensor(R"("dtype": "U8", "shape": )" + std::string(shape)),
                   "tensor 'w': shape must hold whole numbers from 0 to 2^63-1");
  }
  expect_refused(tensor(R"("dtype": "U8", "shape": [1])"), "tensor 'w': has no data_offsets");
}

TEST(ParseSafetensorsHeader, OffsetsMustMatchTheShape) {
  const auto offsets = [](const std::string& shape, const std::string& pair) {
    return tensor(R"("dtype": "F32", "shape": )" + shape + R"(, "data_offsets": )" + pair);
  };
  expect_refused(offsets("[2]", "[0]"), "tensor 'w': data_offsets must be [begin, end]");
  expect_refused(offsets("[2]", "[0, 8, 9]"), "tensor 'w': data_offsets must be [begin, end]");
  expect_refused(offsets("[2]", "[8, 0]"), "tensor 'w': data_offsets must be [begin, end]");
  expect_refused(offsets("[3, 4]", "[0, 20]"),
                 "tensor 'w': data_offsets span 20 bytes but shape (3, 4) of F32 needs 48");
  expect_refused(offsets("[4611686018427387904, 4]", "[0, 0]"),
                 "tensor 'w': shape (4611686018427387904, 4) is too large");
}

}  // namespace
}  // namespace atcav::io
