#include "atcav/run/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/demo/demo.h"
#include "atcav/io/sha256.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(DescribeRun, FilesNotesAndTheConfigurationThatRepeatsIt) {
  const testing_support::TempFolder folder;
  Config config = write_demo(folder.path(), 1);
  config.layers = {"pool"};
  config.classes.resize(1);
  config.skip_bad = true;
  config.cache = folder.file("cache");
  config.options.threads = 2;
  const std::string broken = config.classes[0].path + "/9999.png";
  std::ofstream(broken) << "not a picture";
  Probe probe(config);
  std::vector<ExampleFiles> classes;
  classes.push_back(probe.open("class 'zebra'", config.classes[0].path));
  const RunResult about = describe_run(config, probe, {}, classes);
  ASSERT_EQ(about.inputs.size(), 2U);
  EXPECT_EQ(about.inputs[0].sha256, io::sha256_file(config.model));
  EXPECT_EQ(about.inputs[1].role, "class 'zebra'");
  EXPECT_THAT(about.notes, ElementsAre(HasSubstr("1 unreadable files of class 'zebra' were left out")));
  EXPECT_THAT(about.setup, Not(HasSubstr("cache: ")));
  EXPECT_THAT(about.setup, HasSubstr("threads: 0"));
  const auto& files = about.class_files.at(config.classes[0].name);
  EXPECT_EQ(static_cast<Index>(files.size()), classes[0].rows());
  EXPECT_THAT(files.front(), HasSubstr("0000.png"));
  EXPECT_EQ(about.examples_run, 0);
  EXPECT_TRUE(about.remarks.empty());
}

}  // namespace
}  // namespace atcav
