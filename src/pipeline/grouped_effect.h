#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atcav/effect.h"
#include "atcav/groups.h"
#include "fit/max_t.h"
#include "pass/projections.h"

namespace atcav {

// The groups of these rows; none where `names` is empty.
Groups groups_at(const std::vector<std::string>& names, const std::vector<Index>& rows);

// Of a concept against random examples, with errors over groups of rows and of inputs. Names of groups may be
// shared by the two; empty: no groups.
// std::invalid_argument where a set has one group: nothing tells how groups differ.
stats::Effect effect_of_sets(const pass::Projections& random, const pass::Projections& concept_rows,
                             const std::vector<std::string>& random_groups,
                             const std::vector<std::string>& concept_groups, const Groups& inputs,
                             const std::string& concept_name, double level);

// Both sets' z̄·x as relabellings deal them (fit/max_t.h): rows, or groups. Nothing where a group has rows of
// both sets, because it cannot be dealt to one.
std::optional<fit::DealtSets> dealt_sets(const VectorRef& random, const VectorRef& concept_rows,
                                         const std::vector<std::string>& random_groups,
                                         const std::vector<std::string>& concept_groups);

// The side of a 0/1 label that has fewer than two groups, if there is one.
std::optional<double> lonely_side(const VectorRef& values, const Groups& groups);
// Each side of a 0/1 label must have at least two.
void check_sides(const VectorRef& values, const Groups& groups, const std::string& label);

}  // namespace atcav
