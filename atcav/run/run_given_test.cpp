#include "atcav/run/run_given.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "apps/demo/demo.h"
#include "atcav/io/safetensors.h"
#include "atcav/run/run.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A run that saves its directions, and the configuration that takes them up again.
class RunGivenTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = new testing_support::TempFolder;
    Config config = write_demo(folder->path(), 5);
    config.layers = {"block4", "pool"};
    config.classes.resize(2);
    config.concepts.resize(2);
    config.options.permutations = 9;
    config.options.bootstrap = 10;
    config.save_cavs = folder->file("cavs.safetensors");
    whole = new RunResult(run(config));
    again = new Config(config);
    again->cavs = config.save_cavs;
    again->save_cavs = "";
    again->concepts.clear();
    again->random = "";
  }
  static void TearDownTestSuite() {
    delete whole;
    delete again;
    delete folder;
  }

  static testing_support::TempFolder* folder;
  static RunResult* whole;
  static Config* again;
};
testing_support::TempFolder* RunGivenTest::folder = nullptr;
RunResult* RunGivenTest::whole = nullptr;
Config* RunGivenTest::again = nullptr;

TEST_F(RunGivenTest, SavedDirectionsGiveTheSensitivitiesOfTheirRun) {
  const RunResult given = run_given(*again);
  EXPECT_TRUE(given.results.empty());
  ASSERT_EQ(given.given.size(), whole->results.size());
  EXPECT_EQ(given.examples_run, 120) << "class inputs alone";
  for (const Result& expected : whole->results) {
    const auto found = std::find_if(given.given.begin(), given.given.end(), [&](const auto& score) {
      return score.concept_name == expected.concept_name && score.class_name == expected.class_name &&
             score.layer == expected.layer;
    });
    ASSERT_NE(found, given.given.end());
    ASSERT_EQ(found->sensitivities.size(), expected.sensitivities.size());
    // Directions are saved as float32 and the run multiplies means in another order.
    for (std::size_t j = 0; j < expected.sensitivities.size(); ++j)
      EXPECT_NEAR(found->sensitivities[j], expected.sensitivities[j], 1e-5 * expected.gamma);
    EXPECT_EQ(found->tcav, expected.tcav);
    EXPECT_NEAR(found->alpha_tcav.at("3"), expected.alpha_tcav.at("3"), 1e-5);
  }
  ASSERT_EQ(given.entanglement.size(), 2U);
  EXPECT_NEAR(given.entanglement[0].cosines(0, 1), whole->entanglement[0].cosines(0, 1), 1e-5);
  EXPECT_THAT(given.notes, ElementsAre(HasSubstr("directions were given")));
  EXPECT_EQ(given.inputs.back().role, "cavs");
  EXPECT_THAT(given.setup, HasSubstr("cavs: "));
}

TEST_F(RunGivenTest, LayersNamedOrAllAndTheCache) {
  Config config = *again;
  config.layers.clear();
  config.cache = folder->file("cache");
  const RunResult all = run(config);
  EXPECT_EQ(all.given.size(), 8U);
  const RunResult cached = run(config);
  EXPECT_EQ(cached.examples_run, 0);
  EXPECT_EQ(cached.given[7].sensitivities, all.given[7].sensitivities);
  EXPECT_EQ(cached.setup, all.setup);
  config.layers = {"pool"};
  const RunResult pool = run(config);
  ASSERT_EQ(pool.given.size(), 4U);
  EXPECT_EQ(pool.given[0].layer, "pool");
  EXPECT_EQ(pool.given[0].concept_name, "dotted");
}

TEST_F(RunGivenTest, DirectionsOfAnotherModelAreNoted) {
  Config config = *again;
  config.layers = {"pool"};
  Index columns = 0;
  for (const auto& score : run_given(config).given) columns = score.dimension;
  const std::vector<float> values(columns, 1);
  config.cavs = folder->file("other.safetensors");
  io::write_safetensors(config.cavs, {{"pool/sum", io::TensorView(values, {columns})}},
                        {{"model", std::string(64, 'a')}});
  const RunResult scored = run_given(config);
  EXPECT_THAT(scored.notes, Contains(HasSubstr("another model (SHA-256 aaaaaaaaaaaa…")));
  config.layers = {"block4"};
  io::write_safetensors(config.cavs, {{"block4/sum", io::TensorView(values, {columns})}});
  EXPECT_THAT([&] { run_given(config); },
              ThrowsMessage<std::runtime_error>(HasSubstr(
                  "tensor 'block4/sum' has " + std::to_string(columns) + " values, the layer has")));
}

TEST_F(RunGivenTest, ExamplesBesideItAreRefused) {
  const auto expect_refusal = [](const Config& config, const std::string& message) {
    EXPECT_THAT([&] { run(config); }, ThrowsMessage<std::invalid_argument>(HasSubstr(message)));
  };
  Config config = *again;
  config.concepts = {{"striped", "x"}};
  expect_refusal(config, "--concept cannot be given beside --cavs");
  config = *again;
  config.random = "x";
  expect_refusal(config, "--random cannot");
  config = *again;
  config.relative = {"a:b"};
  expect_refusal(config, "--relative cannot");
  config = *again;
  config.save_cavs = "x";
  expect_refusal(config, "--save-cavs cannot");
  config = *again;
  config.options.alpha = {"dagger"};
  expect_refusal(config, "noise of the CAV");
  config = *again;
  config.classes.clear();
  expect_refusal(config, "number of classes");
}

}  // namespace
}  // namespace atcav
