#include "pipeline/labels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace atcav {
namespace {

constexpr double kEmpty = std::numeric_limits<double>::quiet_NaN();

LabelTable table_of(std::vector<std::string> rows, std::vector<double> values) {
  LabelTable table;
  table.name = "labels.csv";
  table.columns = {"red"};
  table.values = Eigen::Map<const Matrix>(values.data(), std::ssize(values), 1);
  for (Index line = 2; line < std::ssize(rows) + 2; ++line) table.lines.push_back(line);
  table.rows = std::move(rows);
  return table;
}

const std::vector<std::string> kFiles = {"pool/a.png", "pool/b.png", "pool/c.png", "pool/d.png",
                                         "pool/e.png"};

std::string refusal(const LabelTable& table, const std::vector<std::string>& files = kFiles) {
  try {
    match_labels(table, files, 5);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(MatchLabels, PutsRowsInThePoolsOrder) {
  const PoolLabels found =
      match_labels(table_of({"d.png", "pool/b.png", "a.png", "c.png"}, {1, 0, 0, 1}), kFiles, 5);
  EXPECT_EQ(found.values.col(0).head(4), (Vector{{0, 0, 1, 1}}));
  EXPECT_TRUE(std::isnan(found.values(4, 0)));
  EXPECT_EQ(found.notes, std::vector<std::string>{
                             "1 of the 5 examples of the pool are not in labels.csv and were left out"});
}

TEST(MatchLabels, TakesNumbersAndOrder) {
  LabelTable table = table_of({"4", "0", "1", "2", "3"}, {1, 0, 0, 1, kEmpty});
  table.numbered = true;
  const PoolLabels found = match_labels(table, kFiles, 5);
  EXPECT_EQ(found.values(4, 0), 1);
  EXPECT_EQ(found.notes, std::vector<std::string>{
                             "labels.csv has no value for 'red' in 1 rows, which were left out of it"});
  table.rows.clear();
  EXPECT_EQ(match_labels(table, {}, 5).values(0, 0), 1);
}

TEST(MatchLabels, SaysWhatIsWrong) {
  EXPECT_EQ(refusal(table_of({"a.png", "x.png"}, {1, 0})),
            "[labels] labels.csv: column 'red' is 1 in 1 rows and 0 in 1, must be each in at least 2");
  EXPECT_EQ(refusal(table_of({"a.png", "b.png", "c.png", "x.png"}, {1, 0, 1, 0})),
            "[labels] labels.csv: line 5: 'x.png' is not in the pool; closest: 'pool/a.png', 'pool/b.png' "
            "and 3 more");
  EXPECT_EQ(refusal(table_of({"a.png", "b.png", "c.png", "pool/a.png"}, {1, 0, 1, 0})),
            "[labels] labels.csv: line 5: 'pool/a.png' is about the same example as 'a.png'");
  EXPECT_EQ(refusal(table_of({"a.png", "b.png"}, {2, 3})),
            "[labels] number of values of labels.csv: column 'red' is 2, must be at least 3");
  EXPECT_EQ(refusal(table_of({"a.png", "b.png", "c.png"}, {0, 1e-320, 1e-310})),
            "[labels] labels.csv: column 'red' goes from 0 to 1e-310, must span more than 1e-300");
  EXPECT_EQ(refusal(table_of({"a.png", "b.png"}, {2, 2})),
            "[labels] labels.csv: column 'red' is 2 in all 2 rows, must differ");
  EXPECT_EQ(refusal(table_of({"a.png", "b.png"}, {kEmpty, kEmpty})),
            "[labels] labels.csv: column 'red' is empty");
  LabelTable short_groups = table_of({}, {0, 1, 0, 1, 0});
  short_groups.groups = {"a", "b"};
  EXPECT_EQ(refusal(short_groups), "[labels] groups has 2 rows but labels.csv has 5");
  LabelTable numbered = table_of({"0", "1", "2", "5"}, {1, 0, 1, 0});
  numbered.numbered = true;
  EXPECT_EQ(refusal(numbered), "[labels] labels.csv: line 5: row is '5', must be a number from 0 to 4");
}

}  // namespace
}  // namespace atcav
