#pragma once

#include <map>
#include <string>
#include <vector>

#include "atcav/config.h"

// Rows that belong together, by name: what --group-by, --group-column and --class-groups say.
namespace atcav {

// Names of groups; empty lists where every row stands by itself.
struct RowGroups {
  std::vector<std::vector<std::string>> sets;  // random, then the concepts
  std::vector<std::string> pool;
  std::vector<std::vector<std::string>> classes;  // by class
};

// Of each name the first capture of the expression, or all that it matches where it has none.
// std::invalid_argument naming the expression, or the name (of `role`) that it does not match.
std::vector<std::string> groups_by(const std::string& expression, const std::vector<std::string>& names,
                                   const std::string& role);

// config.class_groups for a class: the lines of its file, one per input, or groups_by of its files.
std::vector<std::string> class_groups(const Config& config, const std::string& class_name,
                                      const std::vector<std::string>& files, Index inputs);

}  // namespace atcav
