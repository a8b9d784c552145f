#include "atcav/io/write_safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/io/safetensors.h"
#include "tests/support/temp_folder.h"

namespace atcav::io {
namespace {

using testing::ThrowsMessage;
using testing_support::TempFolder;
using std::string_literals::operator""s;

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
}  // namespace atcav::io
