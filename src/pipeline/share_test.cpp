#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "atcav/run.h"
#include "pipeline/kept_inputs.h"
#include "pipeline/testing_run.h"

namespace atcav {
namespace {

using model::TestingModel;
using testing::HasSubstr;
using testing::ThrowsMessage;

// What tests/program/share_test.py shows with real networks, where a network counts its examples.
class ShareTest : public TestingRun {
 protected:
  ShareTest() {
    config_.batch = 8;
    config_.no_intervene = true;
    config_.random = write("random", 5, 500, 0);  // four units of up to 128 rows; six with the concepts
    config_.options.permutations = 19;
    config_.options.bootstrap = 20;
  }
  ShareSummary share_it(int number, int of, ShareOptions options = {}, const std::string& name = "") {
    options.part = {number, of};
    network_ = std::make_shared<TestingModel>();
    return share(config_, options, name.empty() ? file(number) : name, {}, {network_});
  }
  std::string file(int number) const { return folder_.file("share-" + std::to_string(number)); }
  std::vector<std::string> share_all(int of, const ShareOptions& options = {}) {
    std::vector<std::string> files;
    for (int i = of; i >= 1; --i) {
      share_it(i, of, options);
      files.push_back(file(i));
    }
    return files;
  }
  RunResult merge_it(const std::vector<std::string>& files) {
    network_ = std::make_shared<TestingModel>();
    return merge(config_, files, {}, {network_});
  }
  void same(const RunResult& a, const RunResult& b) {
    ASSERT_EQ(a.results.size(), b.results.size());
    for (std::size_t i = 0; i < a.results.size(); ++i) {
      EXPECT_EQ(a.results[i].score(), b.results[i].score());
      EXPECT_EQ(a.results[i].tcav, b.results[i].tcav);
      EXPECT_EQ(a.results[i].interval().low, b.results[i].interval().low);
      EXPECT_EQ(a.results[i].sensitivities, b.results[i].sensitivities);
    }
    ASSERT_EQ(a.inputs.size(), b.inputs.size());
    for (std::size_t i = 0; i < a.inputs.size(); ++i) EXPECT_EQ(a.inputs[i].sha256, b.inputs[i].sha256);
  }

  std::shared_ptr<TestingModel> network_;
};

TEST_F(ShareTest, IsTheRunForEveryMethod) {
  using Method = stats::CavMethod;
  for (const Method method :
       {Method::kPattern, Method::kFast, Method::kRidge, Method::kLogistic, Method::kSvm}) {
    config_.options.cav.method = method;
    const auto network = std::make_shared<TestingModel>();
    const RunResult whole = run(config_, {}, {network});
    same(merge_it(share_all(4)), whole);
    // Maps are left to the merge, and random inputs whose activations it asks about.
    EXPECT_EQ(network_->examples_run, network->examples_run - 2 * 33 - 555 + kMostWithLogits);
  }
}

TEST_F(ShareTest, RunsItsOwnExamplesTheFirstOnesAndTheClassInputs) {
  Index sum = 0;
  for (int i = 1; i <= 3; ++i) {
    const ShareSummary done = share_it(i, 3);
    EXPECT_EQ(done.gradients, 33);
    const Index first = i == 1 ? 0 : 64;
    // TestingModel counts an input twice where its logits are asked for with its gradient.
    EXPECT_EQ(network_->examples_run, 2 * 33 + done.examples + first);
    sum += done.examples;
  }
  EXPECT_EQ(sum, 555);
}

TEST_F(ShareTest, ARoundOfGradientsLeavesTheSameFiles) {
  const std::vector<std::string> whole = share_all(3);
  ShareOptions first{{}, true, {}};
  std::vector<std::string> round;
  for (const int i : {1, 2}) {
    round.push_back(folder_.file("first-" + std::to_string(i)));
    share_it(i, 2, first, round.back());
  }
  for (int i = 1; i <= 3; ++i) {
    const ShareSummary done = share_it(i, 3, {{}, false, round}, folder_.file("again"));
    EXPECT_EQ(done.gradients, 0);
    EXPECT_EQ(folder_.read("again"), folder_.read("share-" + std::to_string(i)));
    std::filesystem::remove(folder_.file("again"));
  }
  EXPECT_THAT([&] { merge_it(round); }, ThrowsMessage<std::runtime_error>(HasSubstr("has gradients alone")));
}

TEST_F(ShareTest, NetworksThatComputeDifferentlyAreRefused) {
  const std::vector<std::string> files = share_all(3);
  std::filesystem::remove(file(2));
  network_ = std::make_shared<TestingModel>();
  network_->b *= 1.5F;  // behind the same hash
  share(config_, {{2, 3}, false, {}}, file(2), {}, {network_});
  EXPECT_THAT([&] { merge_it(files); },
              ThrowsMessage<std::runtime_error>(HasSubstr("/share-2: one of their networks")));
}

TEST_F(ShareTest, LastDigitsOfOtherProcessorsAreSaid) {
  const std::vector<std::string> files = share_all(3);
  EXPECT_TRUE(merge_it(files).remarks.empty());
  std::filesystem::remove(file(2));
  network_ = std::make_shared<TestingModel>();
  network_->b *= 1.000001F;
  share(config_, {{2, 3}, false, {}}, file(2), {}, {network_});
  const RunResult merged = merge_it(files);
  ASSERT_EQ(merged.remarks.size(), 1U);
  EXPECT_THAT(merged.remarks.front(), HasSubstr("last digits"));
}

TEST_F(ShareTest, AnotherNetworkIsRefused) {
  const std::vector<std::string> files = share_all(2);
  EXPECT_THAT([&] { merge(config_, files, {}, {std::make_shared<TestingModel>(1)}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("the network differs")));
}

}  // namespace
}  // namespace atcav
