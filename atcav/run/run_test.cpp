#include "atcav/run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "apps/demo/demo.h"
#include "atcav/io/safetensors.h"

namespace atcav {
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
    all = write_demo(folder, 5);
  }
  static void TearDownTestSuite() { fs::remove_all(folder); }

  static Config small() {
    Config config = all;
    config.layers = {"block4"};
    config.classes.resize(1);
    config.concepts.resize(2);
    config.options.permutations = 99;
    return config;
  }

  static std::string folder;
  static Config all;
};
std::string RunTest::folder;
Config RunTest::all;

TEST_F(RunTest, EachExampleGoesThroughTheNetworkOnce) {
  Config config = small();
  config.layers = {"block3", "block4"};
  const RunResult scored = run(config);
  EXPECT_EQ(scored.examples_run, 60 + 240 + 2 * 96);
  ASSERT_EQ(scored.results.size(), 4U);
  EXPECT_EQ(scored.results[2].layer, "block4");
  EXPECT_EQ(scored.results[2].n_random, 240);
  EXPECT_GT(scored.results[2].alpha_tcav.at("dagger"), 0.5) << "stripes make a zebra";
  EXPECT_EQ(scored.inputs.front().role, "model");
  EXPECT_EQ(scored.entanglement.size(), 2U);
}

TEST_F(RunTest, TheCacheGivesTheSameNumbersWithoutTheNetwork) {
  Config config = small();
  const RunResult plain = run(config);
  config.cache = folder + "/cache";
  const RunResult first = run(config);
  const RunResult second = run(config);
  EXPECT_EQ(second.examples_run, 0);
  EXPECT_EQ(plain.results[0].sensitivities, first.results[0].sensitivities);
  EXPECT_EQ(plain.results[0].sensitivities, second.results[0].sensitivities);
  EXPECT_EQ(plain.setup, second.setup);
  // Other preprocessing, other key: nothing stale can load.
  config.scale = 1.0 / 254;
  EXPECT_EQ(run(config).examples_run, 60 + 240 + 2 * 96);
}

TEST_F(RunTest, DamageInTheCacheIsRemarkedUponAndChangesNothing) {
  Config config = small();
  config.cache = folder + "/damaged";
  const RunResult first = run(config);
  EXPECT_TRUE(first.remarks.empty());
  fs::resize_file(*fs::directory_iterator(config.cache), 100);
  const RunResult second = run(config);
  EXPECT_THAT(second.remarks, testing::ElementsAre(HasSubstr("1 damaged cache entries")));
  EXPECT_GT(second.examples_run, 0);
  EXPECT_EQ(first.results[0].sensitivities, second.results[0].sensitivities);
  EXPECT_EQ(first.notes, second.notes);
}

TEST_F(RunTest, ThreadsChangeNothing) {
  Config config = small();
  config.batch = 5;  // few examples at once: ATen's choice of algorithm is most delicate there
  config.options.threads = 1;
  const RunResult one = run(config);
  config.options.threads = 2;
  const RunResult two = run(config);
  EXPECT_EQ(one.results[0].sensitivities, two.results[0].sensitivities);
  EXPECT_EQ(one.results[1].significance.permutation_p, two.results[1].significance.permutation_p);
}

TEST_F(RunTest, SavesTheDirections) {
  Config config = small();
  config.layers = {"pool"};
  config.save_cavs = folder + "/cavs.safetensors";
  const RunResult pattern = run(config);
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
  Config config = small();
  config.relative = {"striped:dotted"};
  const RunResult scored = run(config);
  ASSERT_EQ(scored.results.size(), 3U);
  EXPECT_EQ(scored.results[2].concept_name, "striped vs dotted");
  EXPECT_EQ(scored.results[2].n_random, 96);
  // A difference of means is linear: striped - dotted = (striped - random) - (dotted - random).
  EXPECT_NEAR(scored.results[2].magnitude, scored.results[0].magnitude - scored.results[1].magnitude,
              1e-4 * std::abs(scored.results[2].magnitude));
}

TEST_F(RunTest, SaysWhatIsWrong) {
  Config config = small();
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
  Config config = small();
  fs::create_directories(folder + "/mixed");
  for (int i = 0; i < 12; ++i) {
    const std::string name = "/000" + std::to_string(i % 10) + ".png";
    fs::copy_file(config.random + name, folder + "/mixed/" + std::to_string(i) + ".png",
                  fs::copy_options::overwrite_existing);
  }
  config.concepts[1].path = folder + "/mixed";
  const RunResult scored = run(config);
  EXPECT_THAT(scored.notes,
              Contains(HasSubstr("12 of the 12 examples of concept 'dotted' are also in random")));
  EXPECT_THAT(scored.notes, Contains(HasSubstr("2 of the 12 examples of concept 'dotted' are exact copies")));
}

}  // namespace
}  // namespace atcav
