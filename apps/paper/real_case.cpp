#include "apps/paper/real_case.h"

#include <numeric>

#include "atcav/stats/score.h"

namespace atcav::paper {

std::vector<RealCase> real_cases(const std::vector<LayerPass>& layers) {
  std::vector<RealCase> cases;
  for (const LayerPass& layer : layers) {
    Index first = 0;
    for (std::size_t k = 0; k < layer.names.classes.size(); ++k) {
      const auto& [class_name, inputs] = layer.names.classes[k];
      for (std::size_t c = 0; c < layer.names.concepts.size(); ++c) {
        RealCase found{.layer = layer.names.layer,
                       .class_name = class_name,
                       .concept_name = layer.names.concepts[c],
                       .label = layer.names.layer + ", " + layer.names.concepts[c],
                       .random = layer.pass.sets[0].projections.inputs(first, inputs),
                       .of_concept = layer.pass.sets[c + 1].projections.inputs(first, inputs),
                       .first_class = k == 0};
        if (layer.names.classes.size() > 1) found.label += ", " + class_name;
        cases.push_back(std::move(found));
      }
      first += inputs;
    }
  }
  return cases;
}

DrawnRows draw_rows(const span::Refitter& refitter, Index budget, bool redraw_concept, Stream& stream) {
  DrawnRows rows{span::RowNumbers(static_cast<std::size_t>(budget)),
                 span::row_range(refitter.random_rows(), refitter.all_rows())};
  for (Index& row : rows.random) row = stream.below(refitter.random_rows());
  if (redraw_concept) {
    for (Index& row : rows.of_concept) row = refitter.random_rows() + stream.below(refitter.concept_rows());
  }
  return rows;
}

double multi_tcav(const span::Refitter& refitter, const DrawnRows& rows, Index runs) {
  const auto count = static_cast<Index>(rows.random.size());
  double sum = 0;
  for (Index run = 0; run < runs; ++run) {
    const span::RowNumbers part(rows.random.begin() + run * count / runs,
                          rows.random.begin() + (run + 1) * count / runs);
    sum += stats::tcav(refitter.sensitivities(part, rows.of_concept));
  }
  return sum / static_cast<double>(runs);
}

}  // namespace atcav::paper
