#pragma once

#include <map>
#include <string>
#include <vector>

#include "atcav/matrix.h"

// What is known of rows beside their numbers: groups that they belong to, and labels.
namespace atcav {

// Rows that belong together: crops of one photograph, frames of one video, slides of one patient.
struct Groups {
  std::vector<Index> of_row;  // 0 … count-1; empty: every row stands by itself
  Index count = 0;

  bool empty() const { return of_row.empty(); }
};

// One group for each different name, numbered in order of appearance.
inline Groups groups_of(const std::vector<std::string>& names) {
  Groups groups;
  std::map<std::string, Index> known;
  for (const std::string& name : names)
    groups.of_row.push_back(known.emplace(name, static_cast<Index>(known.size())).first->second);
  groups.count = static_cast<Index>(known.size());
  return groups;
}

// Names of rows by set: random, then the concepts; a pool; by class. Lists may be empty. Rows of one name are
// a group; as names of files they identify rows.
struct RowGroups {
  std::vector<std::vector<std::string>> sets;
  std::vector<std::string> pool;
  std::vector<std::vector<std::string>> classes;
};

// The labels of a pool: every column is a concept, 0/1 or numbers. From a CSV file (data/table/label_table.h)
// or from code, where `rows` may be left out: values are then in the pool's order.
struct LabelTable {
  std::string name = "labels";       // what messages call it: the file
  std::vector<std::string> columns;  // different names
  Matrix values;                     // rows × columns; NaN where a cell is empty
  std::vector<std::string> rows;     // of each row the file in the pool, or the number of its row
  bool numbered = false;             // rows are numbers, from 0
  std::vector<Index> lines;          // of each row in the file
  std::vector<std::string> groups;   // of each row, from the column that names groups; empty: there is none
};

}  // namespace atcav
