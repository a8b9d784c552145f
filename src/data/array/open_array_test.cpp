#include "data/array/open_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "data/array/npy.h"
#include "data/array/safetensors.h"
#include "data/file/sha256.h"
#include "tests/support/temp_folder.h"

namespace atcav::data {
namespace {

using testing::ThrowsMessage;
using testing_support::TempFolder;

class OpenArray : public testing::Test {
 protected:
  std::string npy(const std::string& name, float value) {
    const MatrixF matrix = MatrixF::Constant(1, 1, value);
    write_npy(folder.file(name), matrix);
    return folder.file(name);
  }
  std::string safetensors(const std::string& name,
                          const std::vector<std::pair<std::string, float>>& tensors) {
    std::map<std::string, MatrixF> values;
    for (const auto& [tensor, value] : tensors) values[tensor] = MatrixF::Constant(1, 1, value);
    write_safetensors(folder.file(name), {values.begin(), values.end()});
    return folder.file(name);
  }
  static float value(const std::string& spec) { return open_array(spec).read_float()(0, 0); }
  void expect_refused(const std::string& spec, const std::string& function, const std::string& message) {
    EXPECT_THAT([&] { open_array(spec); },
                ThrowsMessage<std::runtime_error>("[" + function + "] " + message));
  }

  TempFolder folder;
};

TEST_F(OpenArray, ByExtension) {
  EXPECT_EQ(value(npy("a.npy", 3)), 3);
  EXPECT_EQ(value(safetensors("a.safetensors", {{"w", 4}})), 4);
  const std::string two = safetensors("b.safetensors", {{"w", 5}, {"x", 6}});
  EXPECT_EQ(value(two + ":w"), 5);
  EXPECT_EQ(value(two + ":x"), 6);
}

TEST_F(OpenArray, ByFirstBytes) {
  EXPECT_EQ(value(npy("a.bin", 3)), 3);
  EXPECT_EQ(value(safetensors("b.bin", {{"w", 4}}) + ":w"), 4);
}

TEST_F(OpenArray, ColonsInPathsAndTensorNames) {
  EXPECT_EQ(value(npy("run:1.npy", 3)), 3);
  std::filesystem::create_directory(folder.file("c:d"));
  const std::string path = safetensors("c:d/x.safetensors", {{"w:0", 5}, {"", 6}});
  EXPECT_EQ(value(path + ":w:0"), 5);
  EXPECT_EQ(value(path + ":"), 6);
}

TEST_F(OpenArray, ShardsAreOneArray) {
  npy("s-2.npy", 2);
  npy("s-10.npy", 10);
  npy("s-1.npy", 1);
  const Array all = open_array(folder.file("s-*.npy"));
  EXPECT_EQ(all.shape(), (Shape{3, 1}));
  MatrixF rows(3, 1);
  all.read_rows(0, rows);
  EXPECT_EQ(rows, (MatrixF{{1}, {10}, {2}}));  // in name order
  MatrixF part(2, 1);
  all.read_rows(1, part);
  EXPECT_EQ(part, (MatrixF{{10}, {2}}));
  EXPECT_EQ(all.read_double(), (Matrix{{1}, {10}, {2}}));
  EXPECT_THROW(all.read_rows(2, part), std::invalid_argument);
  EXPECT_EQ(open_array(folder.file("s-2.npy") + "," + folder.file("s-1.npy")).read_float(),
            (MatrixF{{2}, {1}}));

  safetensors("t-1.safetensors", {{"w", 5}, {"x:0", 6}});
  safetensors("t-2.safetensors", {{"w", 7}, {"x:0", 8}});
  EXPECT_EQ(open_array(folder.file("t-*.safetensors:w")).read_float(), (MatrixF{{5}, {7}}));
  EXPECT_EQ(open_array(folder.file("t-*.safetensors:x:0")).read_float(), (MatrixF{{6}, {8}}));
}

TEST_F(OpenArray, HashesOfShardsTellOrderAndContent) {
  npy("s-1.npy", 1);
  npy("s-2.npy", 2);
  const auto hash = [&](const std::string& list) { return open_array(list).file_hash(); };
  const std::string a = folder.file("s-1.npy");
  const std::string b = folder.file("s-2.npy");
  EXPECT_EQ(hash(a + "," + b), sha256(sha256_file(a) + sha256_file(b)));
  EXPECT_EQ(hash(a + "," + b), hash(folder.file("s-?.npy")));
  EXPECT_NE(hash(a + "," + b), hash(b + "," + a));
}

TEST_F(OpenArray, ShardsMustAgree) {
  npy("s-1.npy", 1);
  const MatrixF wide = MatrixF::Zero(2, 3);
  write_npy(folder.file("s-2.npy"), wide);
  expect_refused(
      folder.file("s-*.npy"), "open_array",
      folder.file("s-2.npy") + ": has rows of shape (3,), " + folder.file("s-1.npy") + " has (1,)");
  const Vector doubles = Vector::Zero(4);
  write_npy(folder.file("d-2.npy"), doubles);
  const std::vector<float> floats(4);
  write_npy(folder.file("d-1.npy"), TensorView(floats, {4}));
  expect_refused(folder.file("d-*.npy"), "open_array",
                 folder.file("d-2.npy") + ": holds F64, " + folder.file("d-1.npy") + " holds F32");
  expect_refused(folder.file("none-*.npy"), "open_array",
                 folder.file("none-*.npy") + ": is neither a file nor a pattern that matches files");
}

// What float32 cannot hold of one shard alone is told of all rows together.
TEST_F(OpenArray, RoundingIsOfAllShards) {
  for (const double base : {0.0, 1.0}) {
    const Vector values = Vector::Constant(2, 1e8 + 0.5 * base);
    write_npy(folder.file(base == 0 ? "r-0.npy" : "r-1.npy"), values);
  }
  const Array all = open_array(folder.file("r-*.npy"));
  EXPECT_EQ(all.rounding().columns, 0);
  all.read_float();
  EXPECT_EQ(all.rounding().columns, 1);
}

TEST_F(OpenArray, FailuresNameTheFile) {
  const std::string array = npy("a.npy", 3);
  expect_refused(array + ":w", "open_array", array + ": is a .npy file, has no tensor called 'w'");
  const std::string two = safetensors("b.safetensors", {{"w", 5}, {"x", 6}});
  expect_refused(two, "open_array",
                 two + ": has 2 tensors, choose one with " + two + ":NAME; it has 'w', 'x'");
  expect_refused(two + ":y", "read_safetensors", two + ": has no tensor 'y'; it has 'w', 'x'");
  const std::string none = folder.file("none.safetensors");
  expect_refused(none + ":w", "open_file", none + ": cannot open: No such file or directory");
  expect_refused(folder.file("no.npy"), "open_file",
                 folder.file("no.npy") + ": cannot open: No such file or directory");
  expect_refused(folder.path(), "open_file", folder.path() + ": is a folder, must be a file");
  expect_refused("", "open_file", ": cannot open: No such file or directory");
  const std::string csv = folder.write("a.csv", "1,2,3,4,5,6");
  expect_refused(csv, "open_array", csv + ": is neither .npy nor .safetensors, begins with '1,2,3,4,'");
  const std::string npz = folder.write("a.npz", "PK\3\4");
  expect_refused(npz, "open_array", npz + ": is a zip archive (.npz or .pt?), must be .npy or .safetensors");
}

}  // namespace
}  // namespace atcav::data
