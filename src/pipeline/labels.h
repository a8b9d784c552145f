#pragma once

#include <string>
#include <vector>

#include "atcav/config.h"
#include "atcav/groups.h"
#include "atcav/matrix.h"
#include "atcav/result.h"

// The labels of a pool in the order of its rows.
namespace atcav {

struct PoolLabels {
  std::vector<std::string> columns;
  Matrix values;                    // rows of the pool × columns; NaN: not known
  std::vector<std::string> groups;  // of each row, from the table; empty: none
  std::vector<std::string> notes;   // rows and cells that are missing
};

// `files`: the names of the pool's rows, with or without folders; empty for arrays, whose tables say row
// numbers. std::invalid_argument for rows of the table that the pool does not have (with file and line), and
// for columns that leave nothing to compare.
PoolLabels match_labels(const LabelTable& table, const std::vector<std::string>& files, Index rows);

// The table config.labels, and how results.json names it.
LabelTable open_labels(const Config& config);
Input describe_labels(const Config& config, const LabelTable& table);

bool is_binary(const VectorRef& values);  // 0 and 1, where known

}  // namespace atcav
