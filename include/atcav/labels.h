#pragma once

#include <string>
#include <vector>

#include "atcav/matrix.h"

namespace atcav {

// What is known of the examples of a pool: every column is a concept, 0/1 or numbers. The same from a CSV
// file (data/table/label_table.h) and from code, where `rows` may be left out: then values are in the pool's
// order.
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
