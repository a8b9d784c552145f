#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atcav/config.h"
#include "atcav/groups.h"
#include "pipeline/layer_data.h"

// Rows that belong together, by name: what --group-by, --group-column and --class-groups say.
namespace atcav {

// Of each name the first capture of the expression, or all that it matches where it has none.
// std::invalid_argument naming the expression, or the name (of `role`) that it does not match.
std::vector<std::string> groups_by(const std::string& expression, const std::vector<std::string>& names,
                                   const std::string& role);

// config.class_groups for a class: the lines of its file, one per input, or groups_by of its files.
std::vector<std::string> class_groups(const Config& config, const std::string& class_name,
                                      const std::vector<std::string>& files, Index inputs);

// All that the configuration says of rows with these files; null where it says nothing. `of_column`: groups
// of the pool's rows in the table, which go before group_by.
std::shared_ptr<const RowGroups> row_groups(const Config& config, const LayerNames& names,
                                            const RowGroups& files, bool has_pool,
                                            const std::vector<std::string>& of_column);

}  // namespace atcav
