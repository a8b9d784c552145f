#include "plugins/torch/onnx/parse_tensor.h"

#include <gmock/gmock.h>

#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <stdexcept>

#include "tests/support/onnx_model.h"

namespace atcav::onnx {
namespace {

using protozero::pbf_writer;

template <typename Number>
std::vector<Number> numbers(const Tensor& tensor) {
  std::vector<Number> values(tensor.bytes.size() / sizeof(Number));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

std::string header(Type type, std::int64_t size) {
  std::string bytes;
  pbf_writer out(bytes);
  out.add_int64(1, size);
  out.add_int32(2, static_cast<int>(type));
  return bytes;
}

TEST(ParseTensor, RawBytesAreSharedNotCopied) {
  const Bytes bytes =
      Bytes::own(testing_support::tensor_bytes(testing_support::floats("w", {2}, {1.5F, -2})));
  const Tensor tensor = parse_tensor(bytes);
  EXPECT_EQ(tensor.name, "w");
  EXPECT_EQ(numbers<float>(tensor), (std::vector<float>{1.5F, -2}));
  EXPECT_GE(tensor.bytes.view().data(), bytes.view().data());
  EXPECT_LE(tensor.bytes.view().data(), bytes.view().data() + bytes.size());
}

TEST(ParseTensor, TypedListsPackedAndOneByOne) {
  std::string packed = header(Type::kInt64, 3);
  const std::vector<std::int64_t> values = {-1, 5, 1LL << 40};
  pbf_writer(packed).add_packed_int64(7, values.begin(), values.end());
  EXPECT_EQ(numbers<std::int64_t>(parse_tensor(Bytes::own(packed))), values);
  std::string single = header(Type::kFloat32, 2);
  pbf_writer(single).add_float(4, 0.5F);
  pbf_writer(single).add_float(4, 0.25F);
  EXPECT_EQ(numbers<float>(parse_tensor(Bytes::own(single))), (std::vector<float>{0.5F, 0.25F}));
}

// Half 1.0 is 0x3C00; 8-bit numbers, bool and halves live in the int32 list, uint32 in the uint64 list.
TEST(ParseTensor, NarrowTypesUseTheWideLists) {
  std::string half = header(Type::kFloat16, 1);
  pbf_writer(half).add_int32(5, 0x3C00);
  EXPECT_EQ(numbers<std::uint16_t>(parse_tensor(Bytes::own(half))), (std::vector<std::uint16_t>{0x3C00}));
  std::string small = header(Type::kInt8, 1);
  pbf_writer(small).add_int32(5, -7);
  EXPECT_EQ(numbers<std::int8_t>(parse_tensor(Bytes::own(small))), (std::vector<std::int8_t>{-7}));
  std::string wide = header(Type::kUint32, 1);
  pbf_writer(wide).add_uint64(11, 4'000'000'000U);
  EXPECT_EQ(numbers<std::uint32_t>(parse_tensor(Bytes::own(wide))),
            (std::vector<std::uint32_t>{4'000'000'000U}));
  std::string real = header(Type::kFloat64, 1);
  pbf_writer(real).add_double(10, 0.1);
  EXPECT_EQ(numbers<double>(parse_tensor(Bytes::own(real))), (std::vector<double>{0.1}));
}

TEST(ParseTensor, DataMustFitTheShape) {
  std::string bytes = header(Type::kFloat32, 3);
  pbf_writer(bytes).add_bytes(9, std::string(8, '\0'));
  EXPECT_THAT(
      [&] { parse_tensor(Bytes::own(bytes)); },
      testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("needs 12 bytes, the file has 8")));
  EXPECT_THROW(parse_tensor(Bytes::own(header(Type::kFloat32, 1LL << 60))), std::runtime_error);
  EXPECT_THROW(parse_tensor(Bytes::own("\xFF\xFF\xFF")), std::runtime_error);
}

TEST(ParseTensor, ExternalDataAreAskedFor) {
  std::string bytes = header(Type::kUint8, 4);
  for (const auto& [key, value] :
       {std::pair("location", "w.bin"), std::pair("offset", "2"), std::pair("length", "4")}) {
    std::string entry;
    pbf_writer(entry).add_string(1, key);
    pbf_writer(entry).add_string(2, value);
    pbf_writer(bytes).add_message(13, entry);
  }
  pbf_writer(bytes).add_int32(14, 1);
  const auto source = [](const ExternalLocation& location) {
    EXPECT_EQ(location.file, "w.bin");
    return Bytes::own(
        std::string("0123456789")
            .substr(static_cast<std::size_t>(location.offset), static_cast<std::size_t>(location.length)));
  };
  EXPECT_EQ(parse_tensor(Bytes::own(bytes), source).bytes.view(), "2345");
  EXPECT_THROW(parse_tensor(Bytes::own(bytes)), std::runtime_error);
}

}  // namespace
}  // namespace atcav::onnx
