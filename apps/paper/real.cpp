#include "apps/paper/real.h"

#include "atcav/base/check.h"
#include "atcav/stats/score.h"

namespace atcav::paper {

std::vector<RealCase> real_cases(const std::vector<LayerData>& layers) {
  std::vector<RealCase> cases;
  for (const LayerData& layer : layers) {
    if (!layer.pass) fail_argument("real_cases", layer.names.layer + " has directions, must have examples");
    const auto& [name, concepts, classes, relative, tensor] = layer.names;
    Index first = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      for (std::size_t c = 0; c < concepts.size(); ++c) {
        cases.push_back({name + ", " + concepts[c] + (classes.size() > 1 ? ", " + classes[k].name : ""),
                         layer.pass->sets[0].projections.inputs(first, classes[k].inputs),
                         layer.pass->sets[c + 1].projections.inputs(first, classes[k].inputs), k == 0});
      }
      first += classes[k].inputs;
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
