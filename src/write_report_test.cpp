#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "atcav/random.h"
#include "atcav/report.h"
#include "atcav/run.h"
#include "data/file/sha256.h"
#include "data/image/encode_image.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

RunResult example() {
  const auto draw = [](std::uint64_t seed, Index rows) {
    return MatrixF(Stream(seed).normal_matrix(rows, 5).cast<float>());
  };
  return score({{"striped", draw(1, 20)}}, draw(2, 30), {{"zebra", draw(3, 8)}}, {});
}

TEST(WriteReport, MakesTheFolderAndAllThreeFiles) {
  const testing_support::TempFolder folder;
  const RunResult result = example();
  write_report(folder.file("deep/out"), result, "atcav score <again>");
  EXPECT_EQ(folder.read("deep/out/results.json"), report::results_json(result));
  EXPECT_THAT(folder.read("deep/out/report.html"), testing::HasSubstr("atcav score &lt;again&gt;"));
  EXPECT_THAT(folder.read("deep/out/timings.json"), testing::HasSubstr("\"analyse\""));
  // Which page belongs to which results can be seen, also after a kill between the two.
  EXPECT_THAT(folder.read("deep/out/report.html"),
              testing::HasSubstr(data::sha256(folder.read("deep/out/results.json"))));
}

TEST(WriteReport, SaysWhereItCannotWrite) {
  const testing_support::TempFolder folder;
  const std::string file = folder.write("file", "mine");
  EXPECT_THROW(write_report(file + "/out", example()), std::runtime_error);
  EXPECT_EQ(folder.read("file"), "mine");
}

// A picture that has gone leaves its name.
TEST(ReportFiles, PicturesThatCannotBeReadAreNamed) {
  RunResult result = example();
  for (int i = 0; i < 8; ++i)
    result.class_files["zebra"].push_back("nowhere/input" + std::to_string(i) + ".png");
  const auto files = report_files("out", result, "");
  ASSERT_EQ(files.size(), kReportFiles.size());
  EXPECT_EQ(files[1].first, "out/report.html");
  EXPECT_THAT(files[1].second, testing::HasSubstr("input3.png"));
}

// What the network saw is shown, or nothing.
TEST(ReportFiles, PicturesThatChangedAreNotShown) {
  const testing_support::TempFolder folder;
  RunResult result = example();
  const std::string bytes = data::encode_png({2, 2, std::vector<std::uint8_t>(12, 100)});
  for (int i = 0; i < 8; ++i)
    result.class_files["zebra"].push_back(folder.write("input" + std::to_string(i) + ".png", bytes));
  const auto pictures = [&] {
    const std::string page = report_files("out", result, "")[1].second;
    std::size_t count = 0;
    for (std::size_t at = 0; (at = page.find("data:image/", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const std::size_t all = pictures();
  for (const std::string& file : result.class_files["zebra"]) result.file_hashes[file] = data::sha256(bytes);
  EXPECT_EQ(pictures(), all);
  folder.write("input3.png", data::encode_png({2, 2, std::vector<std::uint8_t>(12, 200)}));
  EXPECT_EQ(pictures(), all - 1);
}

}  // namespace
}  // namespace atcav
