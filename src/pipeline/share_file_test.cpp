#include "pipeline/share_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "data/file/sha256.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class ShareFileTest : public testing::Test {
 protected:
  ShareFileTest() {
    content_.keep("doubles", Matrix{{1.5, -2}, {0, 1e300}});
    content_.keep("floats", MatrixF{{0.25F}, {3}});
    content_.keep("places", std::vector<std::int64_t>{7, 1LL << 40});
    content_.keep("text", std::string("one\n\ntwo\n"));
    viewed_ = MatrixF::Random(300, 20);
    content_.keep_view("view", viewed_);
    bytes_ = content_.write(path_, facts_);
  }

  testing_support::TempFolder folder_;
  std::string path_ = folder_.file("share-1");
  ShareFacts facts_ = {{"parts", "2"}, {"part", "1"}, {"stage", "examples"}, {"setup", ""},
                       {"build", "x"}, {"model", ""}, {"layers", ""},        {"sets", ""}};
  MatrixF viewed_;
  ShareContent content_;
  Index bytes_ = 0;
};

TEST_F(ShareFileTest, HoldsWhatWasKept) {
  const ShareFile file = open_share(path_);
  EXPECT_EQ(file.facts.at("parts"), "2");
  EXPECT_EQ(file.doubles("doubles", 2, 2), (Matrix{{1.5, -2}, {0, 1e300}}));
  EXPECT_EQ(file.floats("floats", 2, 1), (MatrixF{{0.25F}, {3}}));
  EXPECT_EQ(file.integers("places"), (std::vector<std::int64_t>{7, 1LL << 40}));
  EXPECT_EQ(file.text("text"), "one\n\ntwo\n");
  EXPECT_EQ(file.floats("view", 300, 20), viewed_);
  EXPECT_THAT([&] { file.doubles("doubles", 4, 1); }, ThrowsMessage<std::runtime_error>(HasSubstr("4 × 1")));
}

// The checksum is what any other tool finds.
TEST_F(ShareFileTest, EndsWithTheHashOfAllBeforeIt) {
  const std::string all = folder_.read("share-1");
  EXPECT_EQ(std::ssize(all), bytes_);
  EXPECT_EQ(all.substr(all.size() - 64), data::sha256(all.substr(0, all.size() - 64)));
}

TEST_F(ShareFileTest, SaysAllThatPartsMustAgreeOn) {
  for (const char* name : {"parts", "build", "setup", "model", "layers", "sets", "stage"}) {
    ShareFacts fewer = facts_;
    fewer.erase(name);
    content_.write(path_, fewer);
    EXPECT_THAT([&] { open_share(path_); },
                ThrowsMessage<std::runtime_error>(HasSubstr("was not written by `atcav share`")));
  }
}

TEST_F(ShareFileTest, NoBitMayChange) {
  const std::string all = folder_.read("share-1");
  constexpr std::size_t kPlaces = 200;
  for (std::size_t i = 0; i <= kPlaces; ++i) {
    std::string changed = all;
    char& letter = changed[(all.size() - 1) * i / kPlaces];
    letter = static_cast<char>(letter ^ (1 << (i % 8)));
    folder_.write("changed", changed);
    EXPECT_THAT([&] { open_share(folder_.file("changed")); },
                ThrowsMessage<std::runtime_error>(HasSubstr("changed")))
        << i;
  }
  for (const std::size_t length : {std::size_t{1}, all.size() / 2, all.size() - 1}) {
    folder_.write("changed", all.substr(0, length));
    EXPECT_THROW(open_share(folder_.file("changed")), std::runtime_error);
  }
}

TEST(ShareDifferenceTest, NamesTheFirstLineOfTheFirstFactThatDiffers) {
  const ShareFacts one = {{"parts", "3"}, {"part", "1"}, {"setup", "cav: pattern\nseed: 1\n"}};
  ShareFacts other = one;
  other["part"] = "2";
  EXPECT_EQ(difference(one, other, "x"), "");
  other["setup"] = "cav: pattern\nseed: 2\n";
  EXPECT_EQ(difference(one, other, "share-2"),
            "the configuration differs: 'seed: 1' here, 'seed: 2' in share-2");
  other["setup"] += "more: 1\n";
  other["setup"].replace(other["setup"].find('2'), 1, "1");
  EXPECT_EQ(difference(one, other, "share-2"),
            "the configuration differs: nothing here, 'more: 1' in share-2");
  other["parts"] = "4";
  EXPECT_EQ(difference(one, other, "share-2"), "the number of parts differs: '3' here, '4' in share-2");
}

}  // namespace
}  // namespace atcav
