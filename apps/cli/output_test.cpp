#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "apps/cli/command.h"
#include "tests/support/temp_folder.h"

namespace atcav::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class CheckOutput : public testing::Test {
 protected:
  template <typename Error>
  void refused(const std::string& message, const std::vector<std::string>& further = {}) const {
    EXPECT_THAT([&] { check_output(output_, config_, further); }, ThrowsMessage<Error>(HasSubstr(message)));
  }
  testing_support::TempFolder folder_;
  Output output_;
  Config config_;
};

TEST_F(CheckOutput, MakesNothing) {
  output_.folder = folder_.file("deep/out");
  output_.json = "-";
  check_output(output_, config_, {""});
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(CheckOutput, FindsWhatCannotBeWritten) {
  refused<std::runtime_error>("none/cavs: cannot create", {folder_.file("none/cavs")});
  output_.json = folder_.file("none/a.json");
  refused<std::runtime_error>("none/a.json");
  output_.json = "";
  output_.folder = folder_.write("file", "x") + "/out";
  refused<std::runtime_error>("is not a folder");
}

// --save-cavs model.onnx, --json c.npy and --json out/report.html -o out once replaced what they named.
TEST_F(CheckOutput, InputsAndOtherOutputsAreNotReplaced) {
  config_.model = folder_.write("model.onnx", "onnx");
  refused<std::invalid_argument>("model.onnx is an input", {config_.model});
  refused<std::invalid_argument>("is an input", {folder_.path() + "/./model.onnx"});
  config_.concepts = {{"a", folder_.write("c.safetensors", "x") + ":tensor"}};
  output_.json = folder_.file("c.safetensors");
  refused<std::invalid_argument>("c.safetensors is an input");
  fs::create_directories(folder_.file("images"));
  config_.random = folder_.file("images");
  output_.json = folder_.file("images/a.json");
  refused<std::invalid_argument>("would lie among the examples");
  output_.folder = folder_.file("out");
  output_.json = folder_.file("out/report.html");
  refused<std::invalid_argument>("would be written twice");
}

TEST_F(CheckOutput, FilesOfOthersAreNotReplaced) {
  output_.json = folder_.write("notes.txt", "my notes");
  refused<std::runtime_error>("notes.txt: exists and was not written by atcav");
  folder_.write("notes.txt", "{\n \"atcav\": \"0.1.0\"\n}");
  EXPECT_NO_THROW(check_output(output_, config_));
  folder_.write("notes.txt", "");
  EXPECT_NO_THROW(check_output(output_, config_));
}

TEST(TypedOptions, FlagsWinOverWhatIsThere) {
  CLI::App app;
  TypedOptions options;
  options.add(app, "run");
  app.parse("--alpha 3 --alpha star --cav ridge --centred --mean 0.5,0.25 --layer a --layer b --seed 7");
  Config config;
  config.options.runs = 4;
  config.layers = {"old"};
  options.apply(config);
  EXPECT_EQ(config.options.alpha, (std::vector<Alpha>{3, Alpha::Kind::kStar}));
  EXPECT_EQ(config.options.cav.method, stats::CavMethod::kRidge);
  EXPECT_TRUE(config.options.cav.centred);
  EXPECT_EQ(config.mean, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(config.layers, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config.options.seed, 7U);
  EXPECT_EQ(config.options.runs, 4) << "not typed";
}

TEST(TypedOptions, SwitchesCanBeTurnedOff) {
  CLI::App app;
  TypedOptions options;
  options.add(app, "score", {"centred", "seed"});
  app.parse("--no-centred");
  Config config;
  config.options.cav.centred = true;
  options.apply(config);
  EXPECT_FALSE(config.options.cav.centred);
  EXPECT_EQ(app.get_option_no_throw("--cav"), nullptr);
}

TEST(Quoted, LeavesPlainArgumentsAndQuotesTheOthers) {
  EXPECT_EQ(quoted({"score", "--concept", "striped=a/b-1.npy"}), "atcav score --concept striped=a/b-1.npy");
  EXPECT_EQ(quoted({"a b", "", "$HOME", "it's"}), "atcav 'a b' '' '$HOME' 'it'\\''s'");
}

}  // namespace
}  // namespace atcav::cli
