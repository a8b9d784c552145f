#include "pipeline/grouped_effect.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/check.h"
#include "stats/joint_effect.h"

namespace atcav {

Groups groups_at(const std::vector<std::string>& names, const std::vector<Index>& rows) {
  if (names.empty()) return {};
  std::vector<std::string> own;
  own.reserve(rows.size());
  for (const Index row : rows) own.push_back(names[row]);
  return groups_of(own);
}

std::optional<double> lonely_side(const VectorRef& values, const Groups& groups) {
  for (const double side : {0.0, 1.0}) {
    std::set<Index> own;
    for (Index i = 0; i < values.size(); ++i) {
      if (values(i) == side) own.insert(groups.of_row[i]);
    }
    if (own.size() < 2) return side;
  }
  return std::nullopt;
}

void check_sides(const VectorRef& values, const Groups& groups, const std::string& label) {
  if (groups.empty()) return;
  if (const auto side = lonely_side(values, groups)) {
    fail_argument("groups", fmt::format("the examples with{} '{}' are one group, must be at least two",
                                        *side == 1 ? "" : "out", label));
  }
}

stats::Effect effect_of_sets(const pass::Projections& random, const pass::Projections& concept_rows,
                             const std::vector<std::string>& random_groups,
                             const std::vector<std::string>& concept_groups, const Groups& inputs,
                             const std::string& concept_name, double level) {
  const Index n = random.columns();
  Matrix responses(random.inputs(), n + concept_rows.columns());
  responses << random.values, concept_rows.values;
  Matrix label = Matrix::Zero(responses.cols(), 1);
  label.bottomRows(concept_rows.columns()).setOnes();
  Groups groups;
  if (!random_groups.empty()) {
    std::vector<std::string> names = random_groups;
    names.insert(names.end(), concept_groups.begin(), concept_groups.end());
    groups = groups_of(names);
  }
  check_sides(label.col(0), groups, concept_name);
  std::vector<Index> reference(static_cast<std::size_t>(n));
  std::iota(reference.begin(), reference.end(), 0);
  const stats::LabelDesign design = stats::design_labels(label, {concept_name}, groups, 1);
  const stats::LabelResponses of_inputs(inputs.empty() ? std::move(responses)
                                                       : stats::grouped_inputs(responses, inputs));
  const stats::LabelEffect found =
      stats::label_effect(design, 0, of_inputs, stats::label_residuals(design, of_inputs.values),
                          stats::ReferenceRows(of_inputs, reference, groups), groups);
  return stats::measure_effect(found.sensitivities, found.errors, found.noise, found.spread, level);
}

std::optional<fit::DealtSets> dealt_sets(const VectorRef& random, const VectorRef& concept_rows,
                                         const std::vector<std::string>& random_groups,
                                         const std::vector<std::string>& concept_groups) {
  const std::set<std::string> of_random(random_groups.begin(), random_groups.end());
  const auto in_both = [&](const std::string& name) { return of_random.contains(name); };
  if (std::ranges::any_of(concept_groups, in_both)) return std::nullopt;
  return fit::DealtSets{fit::dealt_rows_of(random, groups_of(random_groups)),
                        fit::dealt_rows_of(concept_rows, groups_of(concept_groups))};
}

}  // namespace atcav
