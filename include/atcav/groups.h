#pragma once

#include <map>
#include <string>
#include <vector>

#include "atcav/matrix.h"

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

// Names of rows by set: random, then the concepts; a pool; by class. Lists are empty where there are none.
// Rows that share a name are a group; as names of files they say which rows are which.
struct RowGroups {
  std::vector<std::vector<std::string>> sets;
  std::vector<std::string> pool;
  std::vector<std::vector<std::string>> classes;
};

}  // namespace atcav
