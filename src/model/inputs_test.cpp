#include "model/inputs.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

#include "data/array/npy.h"
#include "data/array/safetensors.h"
#include "data/file/sha256.h"
#include "tests/support/png_image.h"
#include "tests/support/tar_bytes.h"
#include "tests/support/temp_folder.h"

namespace atcav::model {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_support::TempFolder;

TEST(Inputs, TakeArraysWithTheShapeOfTheInput) {
  const TempFolder folder;
  const std::vector<float> values = {0, 1, 2, 3, 4, 5};
  data::write_npy(folder.file("x.npy"), data::TensorView(values, {3, 2, 1}));
  Inputs inputs = Inputs::open(folder.file("x.npy"), {{"x", {-1, 2, 1}, false}});
  EXPECT_EQ(inputs.rows(), 3);
  EXPECT_EQ(row_name(inputs, 2), "row 2");
  const auto batch = inputs.read(1, 5);
  EXPECT_EQ(batch[0].shape, (std::vector<Index>{2, 2, 1}));
  EXPECT_EQ(batch[0].reals, (Reals{2, 3, 4, 5}));
  EXPECT_THAT(
      [&] {
        Inputs::open(folder.file("x.npy"), {{"x", {-1, 4}, false}});
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("input 'x'")));
  EXPECT_THAT(
      [&] {
        Inputs::open(folder.file("x.npy"), {{"x", {-1, 2, 1}, true}});
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("takes integers")));
}

TEST(Inputs, NumbersMustBeFinite) {
  const TempFolder folder;
  const std::vector<float> values = {0, 1, 2, std::nanf(""), 4, 5};
  data::write_npy(folder.file("x.npy"), data::TensorView(values, {3, 2}));
  Inputs inputs = Inputs::open(folder.file("x.npy"), {{"x", {-1, 2}, false}});
  EXPECT_EQ(inputs.read(2, 1)[0].reals, (Reals{4, 5}));
  EXPECT_THAT([&] { inputs.read(1, 2); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("x.npy is nan at row 1, column 1")));
}

TEST(Inputs, SeveralInputsComeFromOneSafetensorsFile) {
  const TempFolder folder;
  const std::vector<std::int64_t> ids = {1, 2, 3, 4};
  const std::vector<std::int64_t> mask = {1, 1, 1, 0};
  data::write_safetensors(folder.file("t.safetensors"),
                          {{"ids", data::TensorView(ids, {2, 2})}, {"mask", data::TensorView(mask, {2, 2})}});
  Inputs inputs =
      Inputs::open(folder.file("t.safetensors"), {{"ids", {-1, 2}, true}, {"mask", {-1, 2}, true}});
  const auto batch = inputs.read(1, 1);
  EXPECT_EQ(batch[0].integers, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(batch[1].integers, (std::vector<std::int64_t>{1, 0}));
}

TEST(Inputs, FoldersGiveImagesWithNames) {
  const TempFolder folder;
  folder.write("zebra.png", testing_support::grey_png(2, 2, 7));
  Inputs inputs = Inputs::open(folder.path(), {{"x", {-1, 3, 2, 2}, false}});
  EXPECT_EQ(row_name(inputs, 0), "zebra.png");
  EXPECT_EQ(inputs.file(0), folder.file("zebra.png"));
  EXPECT_EQ(inputs.read(0, 1)[0].reals[5], 7);
  EXPECT_TRUE(inputs.stored()->left_out().bad.empty());
  EXPECT_THROW(inputs.read(1, 1), std::invalid_argument);
  EXPECT_THROW(Inputs::open(folder.path(), {{"x", {-1, 3, 2, 2}, false}, {"y", {-1}, false}}),
               std::invalid_argument);
}

class TwoInputs : public testing::Test {
 protected:
  void write(const std::string& name, std::vector<std::int64_t> values, data::Shape shape) const {
    data::write_npy(folder_.file(name), data::TensorView(values, std::move(shape)));
  }
  void refused(const std::string& spec, const std::string& message) const {
    EXPECT_THAT([&] { Inputs::open(spec, infos_); }, testing::Throws<std::exception>(testing::Property(
                                                         &std::exception::what, HasSubstr(message))));
  }
  TempFolder folder_;
  std::vector<InputInfo> infos_ = {{"input_ids", {-1, -1}, true}, {"attention_mask", {-1, -1}, true}};
};

TEST_F(TwoInputs, ComeFromAListOfArrays) {
  write("ids.npy", {1, 2, 3, 4}, {2, 2});
  write("mask.npy", {1, 1, 1, 0}, {2, 2});
  Inputs inputs = Inputs::open(folder_.file("ids.npy") + "," + folder_.file("mask.npy"), infos_);
  const auto batch = inputs.read(1, 1);
  EXPECT_EQ(batch[0].integers, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(batch[1].integers, (std::vector<std::int64_t>{1, 0}));
}

TEST_F(TwoInputs, WrongNumbersAndLengthsAreNamed) {
  write("ids.npy", {1, 2, 3, 4}, {2, 2});
  write("short.npy", {1, 1}, {2, 1});
  write("rows.npy", {1, 1, 1, 1, 1, 1}, {3, 2});
  const std::string ids = folder_.file("ids.npy");
  refused(ids, "is 1 array, the model has 2 inputs: 'input_ids', 'attention_mask'");
  refused(ids + "," + ids + "," + ids, "is 3 arrays, the model has 2 inputs");
  refused(ids + "," + folder_.file("short.npy"), "has 1 tokens, ");
  refused(ids + "," + folder_.file("rows.npy"), "has 3 rows, ");
}

TEST_F(TwoInputs, RowsOfArraysComeInAnyOrder) {
  write("ids.npy", {1, 2, 3, 4, 5, 6}, {3, 2});
  write("ones.npy", {1, 1, 1, 1, 1, 0}, {3, 2});
  Inputs inputs = Inputs::open(folder_.file("ids.npy") + "," + folder_.file("ones.npy"), infos_);
  const auto groups = inputs.groups({2, 0});
  ASSERT_EQ(groups.size(), 1U);
  const auto batch = inputs.read(groups.front());
  EXPECT_EQ(batch[0].integers, (std::vector<std::int64_t>{5, 6, 1, 2}));
  EXPECT_EQ(batch[1].integers, (std::vector<std::int64_t>{1, 0, 1, 1}));
  const std::vector<std::string> all = content_hashes(inputs);
  EXPECT_EQ(batch[0].hashes, (std::vector<std::string>{all[2], all[0]}));
}

// Numbers and hash are of the same bytes, whenever a file is replaced.
TEST(Inputs, HashesOfFoldersOfArraysAreOfWhatWasRead) {
  const testing_support::TempFolder folder;
  const std::vector<std::int64_t> before = {1, 2, 3}, after = {4, 5, 6}, longer = {1, 2, 3, 4};
  data::write_npy(folder.file("0.npy"), data::TensorView(before, {3}));
  Inputs inputs = Inputs::open(folder.path(), {{"ids", {-1, -1}, true}});
  data::write_npy(folder.file("0.npy"), data::TensorView(after, {3}));
  const std::vector<InputBatch> read = inputs.read(0, 1);
  EXPECT_EQ(read.front().integers, after);
  EXPECT_EQ(read.front().hashes.front(), data::sha256(folder.read("0.npy")));
  data::write_npy(folder.file("0.npy"), data::TensorView(longer, {4}));
  EXPECT_THROW(inputs.read(0, 1), std::runtime_error);
}

TEST_F(TwoInputs, AFolderOfArraysMayDifferInLength) {
  write("a.npy", {1, 2}, {2});
  write("b.npy", {3, 4, 5}, {3});
  write("c.npy", {6, 7}, {2});
  Inputs inputs = Inputs::open(folder_.path(), infos_);
  EXPECT_EQ(inputs.rows(), 3);
  EXPECT_EQ(row_name(inputs, 1), "b.npy");
  const auto groups = inputs.groups(0, 3);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0], (std::vector<Index>{0, 2}));
  const auto batch = inputs.read(groups[0]);
  EXPECT_EQ(batch[0].shape, (std::vector<Index>{2, 2}));
  EXPECT_EQ(batch[0].integers, (std::vector<std::int64_t>{1, 2, 6, 7}));
  EXPECT_EQ(batch[1].integers, (std::vector<std::int64_t>{1, 1, 1, 1}));
  EXPECT_THROW(inputs.read(0, 3), std::invalid_argument);
}

TEST(Inputs, ChosenRowsAreThoseOfOthers) {
  const TempFolder folder;
  const std::vector<float> values = {0, 1, 2, 3};
  data::write_npy(folder.file("x.npy"), data::TensorView(values, {4, 1}));
  const Inputs all = Inputs::open(folder.file("x.npy"), {{"x", {-1, 1}, false}});
  Inputs some = Inputs(chosen_examples(all.stored(), {3, 1, 0}));
  EXPECT_EQ(some.rows(), 3);
  const auto batch = some.read(0, 3);
  EXPECT_EQ(batch[0].reals, (Reals{3, 1, 0}));
  EXPECT_EQ(batch[0].hashes[1], content_hash(some.read(1, 1), 0));
}

// Rows of one length run together, whatever the order they were chosen in.
TEST(Inputs, ChosenRowsOfSeveralLengthsStayInGroups) {
  const TempFolder folder;
  for (int i = 0; i < 4; ++i) {
    const std::vector<float> values(static_cast<std::size_t>(1 + i % 2), static_cast<float>(i));
    data::write_npy(folder.file(std::to_string(i) + ".npy"), data::TensorView(values, {1 + i % 2}));
  }
  Inputs some(chosen_examples(open_examples(folder.path(), {{"x", {-1, -1}, false}}), {3, 0, 2}));
  const auto groups = some.groups(0, 3);
  ASSERT_EQ(groups.size(), 2U);
  for (const auto& group : groups) {
    const auto batch = some.read(group);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::vector<float> wanted = {3, 0, 2};
      EXPECT_EQ(batch[0].reals[i * batch[0].reals.size() / group.size()],
                wanted[static_cast<std::size_t>(group[i])]);
    }
  }
  EXPECT_EQ(content_hashes(some), (std::vector<std::string>{data::sha256_file(folder.file("3.npy")),
                                                            data::sha256_file(folder.file("0.npy")),
                                                            data::sha256_file(folder.file("2.npy"))}));
}

TEST(Inputs, ArchivesAndShards) {
  const TempFolder folder;
  folder.write("s-1.tar", testing_support::tar_member("b.png", testing_support::grey_png(2, 2, 50)));
  folder.write("s-0.tar", testing_support::tar_member("a.png", testing_support::grey_png(2, 2, 40)));
  const std::vector<InputInfo> images = {{"x", {-1, 1, 2, 2}, false}};
  InputOptions options;
  options.preprocess = data::preprocess_preset(data::PreprocessPreset::kNone);
  Inputs inputs = Inputs::open(folder.file("s-*.tar"), images, options);
  EXPECT_EQ(inputs.rows(), 2);
  EXPECT_EQ(row_name(inputs, 1), "b.png");
  EXPECT_EQ(inputs.read(0, 2)[0].reals, (Reals{40, 40, 40, 40, 50, 50, 50, 50}));
  EXPECT_THAT([&] { Inputs::open("x.tar.gz", images, options); },
              ThrowsMessage<std::runtime_error>(HasSubstr("x.tar.gz: is compressed, must be a plain .tar")));
  const std::vector<float> one = {1, 2};
  data::write_npy(folder.file("n-0.npy"), data::TensorView(one, {2, 1}));
  data::write_npy(folder.file("n-1.npy"), data::TensorView(one, {2, 1}));
  EXPECT_EQ(Inputs::open(folder.file("n-*.npy"), {{"x", {-1, 1}, false}}).rows(), 4);
}

InputBatch batch_of(std::vector<Index> shape, Reals reals, std::vector<std::int64_t> integers = {}) {
  return {std::move(shape), std::move(reals), std::move(integers)};
}

TEST(ContentHash, AreEqualForEqualRowsOnly) {
  const std::vector three = {batch_of({3, 2}, {1, 2, 3, 4, 1, 2})};
  EXPECT_EQ(content_hash(three, 0), content_hash(three, 2));
  EXPECT_NE(content_hash(three, 0), content_hash(three, 1));
  EXPECT_EQ(content_hash({batch_of({1, 2}, {3, 4})}, 0), content_hash(three, 1));
}

TEST(ContentHash, KnowShapesAndEveryInput) {
  const InputBatch flat = batch_of({1, 4}, {1, 2, 3, 4});
  EXPECT_NE(content_hash({flat}, 0), content_hash({batch_of({1, 2, 2}, {1, 2, 3, 4})}, 0));
  const auto with_mask = [&](std::int64_t last) {
    return content_hash({flat, batch_of({1, 2}, {}, {1, last})}, 0);
  };
  EXPECT_EQ(with_mask(1), with_mask(1));
  EXPECT_NE(with_mask(1), with_mask(0));
}

}  // namespace
}  // namespace atcav::model
