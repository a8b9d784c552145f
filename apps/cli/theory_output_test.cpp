#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "apps/cli/theory.h"
#include "atcav/version.h"
#include "tests/support/temp_folder.h"

namespace atcav::cli {
namespace {

using nlohmann::json;

TEST(WriteAnswer, TextAloneByDefault) {
  std::ostringstream out;
  write_answer(out, "table\n", "theory ratio", {{"x", 1}}, "");
  EXPECT_EQ(out.str(), "table\n");
}

TEST(WriteAnswer, DashReplacesTheText) {
  std::ostringstream out;
  write_answer(out, "table\n", "theory ratio", {{"x", 1}}, "-");
  const json document = json::parse(out.str());
  EXPECT_EQ(document, json({{"atcav", kVersion}, {"command", "theory ratio"}, {"x", 1}}));
}

TEST(WriteAnswer, FileComesBesideTheText) {
  const testing_support::TempFolder folder;
  std::ostringstream out;
  write_answer(out, "table\n", "theory ratio", {{"x", 1}}, folder.file("answer.json"));
  EXPECT_EQ(out.str(), "table\n");
  EXPECT_EQ(json::parse(folder.read("answer.json")).at("x"), 1);
}

TEST(WriteAnswer, UnwritableFileIsNamed) {
  const testing_support::TempFolder folder;
  std::ostringstream out;
  const std::string path = folder.file("no/such/folder/x.json");
  try {
    write_answer(out, "", "theory ratio", {}, path);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(path));
  }
}

}  // namespace
}  // namespace atcav::cli
