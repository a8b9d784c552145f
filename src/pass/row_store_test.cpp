#include "pass/row_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "pass/testing_sources.h"

namespace atcav::pass {
namespace {

namespace fs = std::filesystem;

class RowStoreFolder : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder);
    setenv("TMPDIR", folder.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    fs::remove_all(folder);
  }
  const fs::path folder = fs::temp_directory_path() / ("atcav_row_store_" + std::to_string(getpid()));
};

// 5 MB in memory, 20 MB in a file.
TEST_F(RowStoreFolder, GivesBackWhatWasWrittenInAnyOrder) {
  for (const Index rows : {25, 100}) {
    const MatrixF values = normal_rows(1, rows, 50000);
    RowStore store(rows, 50000);
    store.write(10, values.bottomRows(rows - 10));
    store.write(0, values.topRows(10));
    MatrixF read(7, 50000);
    store.read(6, read);
    EXPECT_EQ(read, values.middleRows(6, 7));
    EXPECT_EQ(Eigen::Map<const MatrixF>(store.block().data, rows, 50000), values);
    EXPECT_TRUE(fs::is_empty(folder));
  }
}

TEST_F(RowStoreFolder, RowsThatAreThereAreUsedWhereTheyLie) {
  const MatrixF values = normal_rows(1, 100, 50000);
  RowStore store(100, 50000, values.data());
  store.write(0, values.topRows(10));
  MatrixF read(7, 50000);
  store.read(6, read);
  EXPECT_EQ(read, values.middleRows(6, 7));
  EXPECT_EQ(store.block().data, values.data());
}

TEST_F(RowStoreFolder, LeavesNothingBehindWhenKilled) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    RowStore store(100, 50000);
    store.write(3, MatrixF::Ones(2, 50000));
    if (write(ready[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(fs::is_empty(folder));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(fs::is_empty(folder));
  close(ready[0]);
  close(ready[1]);
}

TEST_F(RowStoreFolder, FailsAtOnceWithoutFolderOrRoom) {
  // Four petabytes.
  EXPECT_THROW(RowStore(Index{1} << 30, Index{1} << 20), std::runtime_error);
  setenv("TMPDIR", (folder / "none").c_str(), 1);
  EXPECT_THROW(RowStore(100, 50000), std::runtime_error);
  EXPECT_TRUE(fs::is_empty(folder));
}

}  // namespace
}  // namespace atcav::pass
