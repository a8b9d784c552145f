#include "atcav/network/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "atcav/experiment/demo.h"
#include "atcav/io/safetensors.h"

namespace atcav::network {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The demo's files once for all tests, and a small part of its configuration.
class RunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = testing::TempDir() + "run_test";
    fs::remove_all(folder);
    all = experiment::write_demo(folder, 5);
  }
  static void TearDownTestSuite() { fs::remove_all(folder); }

  static experiment::RunConfig small() {
    experiment::RunConfig config = all;
    config.layers = {"block4"};
    config.classes.resize(1);
    config.concepts.resize(2);
    config.options.permutations = 99;
    return config;
  }

  static std::string folder;
  static experiment::RunConfig all;
};
std::string RunTest::folder;
experiment::RunConfig RunTest::all;

TEST_F(RunTest, EachExampleGoesThroughTheNetworkOnce) {
  experiment::RunConfig config = small();
  config.layers = {"block3", "block4"};
  const experiment::Scored scored = run(config);
  EXPECT_EQ(scored.examples_run, 60 + 240 + 2 * 96);
  ASSERT_EQ(scored.results.size(), 4U);
  EXPECT_EQ(scored.results[2].layer, "block4");
  EXPECT_EQ(scored.results[2].n_random, 240);
  EXPECT_GT(scored.results[2].alpha_tcav.at("dagger"), 0.5) << "stripes make a zebra";
  EXPECT_EQ(scored.inputs.front().role, "model");
  EXPECT_EQ(scored.entanglement.size(), 2U);
}

TEST_F(RunTest, TheCacheGivesTheSameNumbersWithoutTheNetwork) {
  experiment::RunConfig config = small();
  const experiment::Scored plain = run(config);
  config.cache = folder + "/cache";
  const experiment::Scored first = run(config);
  const experiment::Scored second = run(config);
  EXPECT_EQ(second.examples_run, 0);
  EXPECT_EQ(plain.results[0].sensitivities, first.results[0].sensitivities);
  EXPECT_EQ(plain.results[0].sensitivities, second.results[0].sensitivities);
  EXPECT_EQ(plain.setup, second.setup);
  // Other preprocessing, other key: nothing stale can load.
  config.scale = 1.0 / 254;
  EXPECT_EQ(run(config).examples_run, 60 + 240 + 2 * 96);
}

TEST_F(RunTest, DamageInTheCacheIsRemarkedUponAndChangesNothing) {
  experiment::RunConfig config = small();
  config.cache = folder + "/damaged";
  const experiment::Scored first = run(config);
  EXPECT_TRUE(first.remarks.empty());
  fs::resize_file(*fs::directory_iterator(config.cache), 100);
  const experiment::Scored second = run(config);
  EXPECT_THAT(second.remarks, testing::ElementsAre(HasSubstr("1 damaged cache entries")));
  EXPECT_GT(second.examples_run, 0);
  EXPECT_EQ(first.results[0].sensitivities, second.results[0].sensitivities);
  EXPECT_EQ(first.notes, second.notes);
}

TEST_F(RunTest, ThreadsChangeNothing) {
  experiment::RunConfig config = small();
  config.batch = 5;  // few examples at once: ATen's choice of algorithm is most delicate there
  config.options.threads = 1;
  const experiment::Scored one = run(config);
  config.options.threads = 2;
  const experiment::Scored two = run(config);
  EXPECT_EQ(one.results[0].sensitivities, two.results[0].sensitivities);
  EXPECT_EQ(one.results[1].significance.permutation_p, two.results[1].significance.permutation_p);
}

TEST_F(RunTest, SavesTheDirections) {
  experiment::RunConfig config = small();
  config.layers = {"pool"};
  config.save_cavs = folder + "/cavs.safetensors";
  const experiment::Scored pattern = run(config);
  const io::Safetensors file = io::read_safetensors(io::open_file(config.save_cavs));
  EXPECT_EQ(file.names(), (std::vector<std::string>{"pool/dotted", "pool/striped"}));
  EXPECT_EQ(file.tensor("pool/striped").size(), pattern.results[0].dimension);
  EXPECT_EQ(file.metadata.at("cav"), "pattern");
  config.options.cav.method = stats::CavMethod::kRidge;
  config.options.permutations = 9;
  config.options.bootstrap = 10;
  run(config);
  EXPECT_EQ(io::read_safetensors(io::open_file(config.save_cavs)).metadata.at("cav"), "ridge");
}

TEST_F(RunTest, ConceptAgainstConcept) {
  experiment::RunConfig config = small();
  config.relative = {"striped:dotted"};
  const experiment::Scored scored = run(config);
  ASSERT_EQ(scored.results.size(), 3U);
  EXPECT_EQ(scored.results[2].concept_name, "striped vs dotted");
  EXPECT_EQ(scored.results[2].n_random, 96);
  // A difference of means is linear: striped - dotted = (striped - random) - (dotted - random).
  EXPECT_NEAR(scored.results[2].magnitude, scored.results[0].magnitude - scored.results[1].magnitude,
              1e-4 * std::abs(scored.results[2].magnitude));
}

TEST_F(RunTest, SaysWhatIsWrong) {
  experiment::RunConfig config = small();
  config.layers = {"blok4"};
  EXPECT_THAT([&] { run(config); }, ThrowsMessage<std::invalid_argument>(HasSubstr("block4")));
  config = small();
  config.classes[0].target = 3;
  EXPECT_THAT([&] { run(config); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("index 3, must be below 3")));
  config = small();
  fs::create_directories(folder + "/empty");
  config.concepts[0].path = folder + "/empty";
  EXPECT_THAT([&] { run(config); }, ThrowsMessage<std::runtime_error>(HasSubstr("empty")));
  config = small();
  fs::create_directories(folder + "/one");
  fs::copy_file(config.random + "/0000.png", folder + "/one/a.png", fs::copy_options::overwrite_existing);
  config.concepts[0].path = folder + "/one";
  EXPECT_THAT([&] { run(config); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("concept 'striped' is 1, must be at least 2")));
  config = small();
  config.relative = {"striped:spotted"};
  EXPECT_THAT([&] { run(config); }, ThrowsMessage<std::invalid_argument>(HasSubstr("no concept 'spotted'")));
  config = small();
  config.pool = "max";
  EXPECT_THROW(run(config), std::invalid_argument);
}

TEST_F(RunTest, NoticesFilesInTwoSets) {
  experiment::RunConfig config = small();
  fs::create_directories(folder + "/mixed");
  for (int i = 0; i < 12; ++i) {
    const std::string name = "/000" + std::to_string(i % 10) + ".png";
    fs::copy_file(config.random + name, folder + "/mixed/" + std::to_string(i) + ".png",
                  fs::copy_options::overwrite_existing);
  }
  config.concepts[1].path = folder + "/mixed";
  const experiment::Scored scored = run(config);
  EXPECT_THAT(scored.notes,
              Contains(HasSubstr("12 of the 12 examples of concept 'dotted' are also in random")));
  EXPECT_THAT(scored.notes, Contains(HasSubstr("2 of the 12 examples of concept 'dotted' are exact copies")));
}

}  // namespace
}  // namespace atcav::network
