#include "data/table/label_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace atcav::data {
namespace {

LabelTable read(const std::string& text, const std::string& group_column = "") {
  return read_labels(read_memory(text, "labels.csv"), group_column);
}

std::string message(const std::string& text, const std::string& group_column = "") {
  try {
    read(text, group_column);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(ReadLabels, TakesWhatSpreadsheetsWrite) {
  const std::string plain = "file,striped,age\na.png,1,2.5\n\"b, c.png\",0,\n";
  const std::vector<std::string> same = {
      plain,
      "\xEF\xBB\xBF" + plain,
      "file;striped;age\r\na.png;1;2.5\r\n\"b, c.png\";0;\r\n",
      "file\tstriped\tage\na.png\t true \t+2.5\nb, c.png\tFALSE\t",
      "\"file\",\"striped\",\"age\"\n\n\"a.png\",\"1\",\"25e-1\"\n\"b, c.png\",\"0\",\"\"\n\n",
      "file,striped,age\ra.png,1,2.5\r\"b, c.png\",0,",
  };
  for (const std::string& text : same) {
    const LabelTable table = read(text);
    EXPECT_EQ(table.columns, (std::vector<std::string>{"striped", "age"})) << text;
    EXPECT_EQ(table.rows, (std::vector<std::string>{"a.png", "b, c.png"})) << text;
    EXPECT_FALSE(table.numbered);
    EXPECT_EQ(table.values(0, 0), 1);
    EXPECT_EQ(table.values(0, 1), 2.5);
    EXPECT_EQ(table.values(1, 0), 0);
    EXPECT_TRUE(std::isnan(table.values(1, 1)));
  }
}

TEST(ReadLabels, ReadsQuotesAndLinesInCells) {
  const LabelTable table = read("file,\"a \"\"b\"\"\"\n\"x\ny\",1\nz,2\n");
  EXPECT_EQ(table.columns.front(), "a \"b\"");
  EXPECT_EQ(table.rows.front(), "x\ny");
  EXPECT_EQ(table.lines, (std::vector<Index>{2, 4}));
}

TEST(ReadLabels, KeepsTheGroupColumnAsText) {
  const LabelTable table = read("row,red,patient\n0,1,anna\n1,0,bert\n", "patient");
  EXPECT_TRUE(table.numbered);
  EXPECT_EQ(table.columns, std::vector<std::string>{"red"});
  EXPECT_EQ(table.groups, (std::vector<std::string>{"anna", "bert"}));
}

TEST(ReadLabels, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(message("file,red\na,yes\n"),
            "[read_labels] labels.csv: line 2: 'red' is 'yes', must be a number, true, false or empty");
  EXPECT_EQ(message("file,red\na,nan\n"),
            "[read_labels] labels.csv: line 2: 'red' is 'nan', must be a number, true, false or empty");
  EXPECT_EQ(message("file,red\na,1\nb,1\na,0\n"),
            "[read_labels] labels.csv: lines 2 and 4 are both about 'a'");
  EXPECT_EQ(message("file,red\na,1,2\n"), "[read_labels] labels.csv: line 2 has 3 cells, must have 2");
  EXPECT_EQ(message("file,red\n\"a,1\n"), "[read_labels] labels.csv: line 2: a quote is not closed");
  EXPECT_EQ(message("file,red\n\"a\"b,1\n"), "[read_labels] labels.csv: line 2: text behind a closing quote");
  EXPECT_EQ(message("file,red\n,1\n"), "[read_labels] labels.csv: line 2 does not say which row it is about");
  EXPECT_EQ(message("file,red,red\n"), "[read_labels] labels.csv: two columns are called 'red'");
  EXPECT_EQ(message("file,red,\n"), "[read_labels] labels.csv: column 3 has no name");
  EXPECT_EQ(message("file\na\n"),
            "[read_labels] labels.csv: has no column of labels beside the first, which names the rows");
  EXPECT_EQ(message("file,red\n"), "[read_labels] labels.csv: has no rows below its header");
  EXPECT_EQ(message("\n\n"), "[read_labels] labels.csv: is empty");
  EXPECT_EQ(message("file,patients\na,1\n", "patient"),
            "[read_labels] labels.csv: has no column 'patient'; closest: 'patients'");
  EXPECT_EQ(message("file,red,patient\na,1,anna\nb,1,\n", "patient"),
            "[read_labels] labels.csv: line 3: 'patient' is empty, must name the row's group");
  for (const std::string& bad : {std::string("b,\xF6\n"), std::string("b\0,1\n", 5)}) {
    EXPECT_EQ(message("file,red\na,1\n" + bad),
              "[read_labels] labels.csv: line 3 is not text in UTF-8; save the table as CSV UTF-8");
  }
  EXPECT_EQ(message("\xFF\xFE"), "[read_labels] labels.csv: is UTF-16, must be UTF-8");
}

TEST(ReadLabels, ReadsAMillionRows) {
  std::string text = "row,a,b\n";
  for (Index i = 0; i < 1'000'000; ++i) text += fmt::format("{},{},0.5\n", i, i % 2);
  const LabelTable table = read(text);
  EXPECT_EQ(std::ssize(table.rows), 1'000'000);
  EXPECT_EQ(table.values.col(0).sum(), 500'000);
}

}  // namespace
}  // namespace atcav::data
