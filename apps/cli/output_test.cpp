#include "output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace atcav::cli {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(PrepareOutput, MakesTheFolderAndNothingInIt) {
  const testing_support::TempFolder folder;
  CommonOptions common;
  common.output = folder.file("deep/out");
  common.json = "-";
  prepare_output(common);
  EXPECT_TRUE(std::filesystem::is_empty(common.output));
}

TEST(PrepareOutput, FindsWhatCannotBeWritten) {
  const testing_support::TempFolder folder;
  CommonOptions common;
  EXPECT_NO_THROW(prepare_output(common, {""})) << "an option that was not given";
  EXPECT_THAT([&] { prepare_output(common, {folder.file("none/cavs")}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("none/cavs: cannot create")));
  common.json = folder.file("none/a.json");
  EXPECT_THAT([&] { prepare_output(common); }, ThrowsMessage<std::runtime_error>(HasSubstr("none/a.json")));
  common.json = "";
  common.output = folder.write("file", "x") + "/out";
  EXPECT_THAT([&] { prepare_output(common); }, ThrowsMessage<std::runtime_error>(HasSubstr("file/out")));
}

}  // namespace
}  // namespace atcav::cli
