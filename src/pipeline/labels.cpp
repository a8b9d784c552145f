#include "pipeline/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <unordered_map>

#include "core/check.h"
#include "data/file/fail.h"
#include "data/file/sha256.h"
#include "data/table/label_table.h"

namespace atcav {
namespace {

constexpr Index kLeastOfEach = 2;
constexpr double kLeastSpan = 5e-301;  // numbers below are not divided by each other
constexpr Index kLeastNumbers = 3;     // a line leaves something of three

std::string place(const LabelTable& table, Index at) {
  if (table.lines.empty()) return fmt::format("{}: row {}", table.name, at);
  return fmt::format("{}: line {}", table.name, table.lines[at]);
}

// For each row of the table the pool's.
class RowFinder {
 public:
  RowFinder(const std::vector<std::string>& files, Index rows) : rows_(rows), files_(files) {
    for (Index row = 0; row < std::ssize(files); ++row) {
      by_name_.emplace(files[row], row);
      by_name_.emplace(std::filesystem::path(files[row]).filename().string(), row);
    }
  }

  Index find(const LabelTable& table, Index at) const {
    const std::string& wanted = table.rows[at];
    if (!table.numbered && !files_.empty()) {
      if (const auto found = by_name_.find(wanted); found != by_name_.end()) return found->second;
      fail_argument("labels", fmt::format("{}: {} is not in the pool; closest: {}", place(table, at),
                                          data::quote(wanted), data::closest_names(wanted, files_, 2)));
    }
    Index row = -1;
    const char* end = wanted.data() + wanted.size();
    const auto [stop, error] = std::from_chars(wanted.data(), end, row);
    if (error != std::errc() || stop != end || row < 0 || row >= rows_) {
      fail_argument("labels", fmt::format("{}: row is {}, must be a number from 0 to {}", place(table, at),
                                          data::quote(wanted), rows_ - 1));
    }
    return row;
  }

 private:
  Index rows_;
  const std::vector<std::string>& files_;
  std::unordered_map<std::string, Index> by_name_;
};

void check_column(const LabelTable& table, Index column) {
  const auto values = table.values.col(column);
  const std::string name = fmt::format("{}: column {}", table.name, data::quote(table.columns[column]));
  Index known = 0;
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (std::isinf(value)) fail_argument("labels", fmt::format("{} has an infinite value", name));
    ++known;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (known == 0) fail_argument("labels", fmt::format("{} is empty", name));
  if (low == high)
    fail_argument("labels", fmt::format("{} is {} in all {} rows, must differ", name, low, known));
  if (!(high / 2 - low / 2 > kLeastSpan)) {
    fail_argument("labels", fmt::format("{} goes from {} to {}, must span more than {}", name, low, high,
                                        2 * kLeastSpan));
  }
  if (!is_binary(values)) {
    check_at_least("labels", fmt::format("number of values of {}", name), known, kLeastNumbers);
    return;
  }
  const Index ones = (values.array() == 1).count();
  if (std::min(ones, known - ones) < kLeastOfEach) {
    fail_argument("labels", fmt::format("{} is 1 in {} rows and 0 in {}, must be each in at least {}", name,
                                        ones, known - ones, kLeastOfEach));
  }
}

void check_table(const LabelTable& table) {
  check_at_least("labels", "number of columns of " + table.name, table.values.cols(), 1);
  check_same("labels", "columns", "names", std::ssize(table.columns), table.name, table.values.cols());
  const auto check_rows = [&](const std::string& what, const std::vector<std::string>& values) {
    if (!values.empty())
      check_same("labels", "rows", what, std::ssize(values), table.name, table.values.rows());
  };
  check_rows("names of rows", table.rows);
  check_rows("groups", table.groups);
  std::set<std::string> names;
  for (Index c = 0; c < table.values.cols(); ++c) {
    if (!names.insert(table.columns[c]).second)
      fail_argument("labels",
                    fmt::format("{}: two columns are called {}", table.name, data::quote(table.columns[c])));
    check_column(table, c);
  }
}

}  // namespace

LabelTable open_labels(const Config& config) {
  return data::read_labels(data::open_file(config.labels), config.group_column);
}

Input describe_labels(const Config& config, const LabelTable& table) {
  return {Role::Kind::kLabels,
          config.labels,
          data::sha256(data::read_file(config.labels)),
          {table.values.rows(), table.values.cols()}};
}

bool is_binary(const VectorRef& values) {
  return std::ranges::all_of(values, [](double v) { return v == 0 || v == 1 || std::isnan(v); });
}

PoolLabels match_labels(const LabelTable& table, const std::vector<std::string>& files, Index rows) {
  check_table(table);
  PoolLabels labels{table.columns,
                    Matrix::Constant(rows, table.values.cols(), std::numeric_limits<double>::quiet_NaN()),
                    {},
                    {}};
  if (!table.groups.empty()) labels.groups.resize(static_cast<std::size_t>(rows));
  const RowFinder finder(files, rows);
  if (table.rows.empty()) check_same("labels", "rows", table.name, table.values.rows(), "the pool", rows);
  std::vector<Index> known(static_cast<std::size_t>(rows), -1);
  for (Index at = 0; at < table.values.rows(); ++at) {
    const Index row = table.rows.empty() ? at : finder.find(table, at);
    if (known[row] >= 0) {
      fail_argument("labels", fmt::format("{}: {} is about the same example as {}", place(table, at),
                                          data::quote(table.rows[at]), data::quote(table.rows[known[row]])));
    }
    known[row] = at;
    labels.values.row(row) = table.values.row(at);
    if (!table.groups.empty()) labels.groups[row] = table.groups[at];
  }
  if (const Index missing = std::ranges::count(known, -1); missing > 0) {
    labels.notes.push_back(fmt::format("{} of the {} examples of the pool are not in {} and were left out",
                                       missing, rows, table.name));
  }
  constexpr std::size_t kNamed = 5;
  std::size_t more = 0;
  for (Index c = 0; c < table.values.cols(); ++c) {
    const Index empty = table.values.col(c).array().isNaN().count();
    if (empty == 0) continue;
    if (labels.notes.size() > kNamed)
      ++more;
    else
      labels.notes.push_back(fmt::format("{} has no value for '{}' in {} rows, which were left out of it",
                                         table.name, table.columns[c], empty));
  }
  if (more > 0)
    labels.notes.push_back(fmt::format("{} more columns of {} have empty cells", more, table.name));
  return labels;
}

}  // namespace atcav
