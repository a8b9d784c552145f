#include "apps/paper/real_model.h"

#include "atcav/base/check.h"
#include "apps/paper/estimate_time.h"
#include "apps/paper/real_tables.h"
#include "apps/paper/vary_budget.h"
#include "apps/paper/vary_runs.h"
#include "atcav/run/stopwatch.h"

namespace atcav::paper {

std::vector<Section> real_sections(const std::vector<LayerPass>& layers,
                                   const PaperOptions& options) {
  check_at_least("paper", "number of layers", static_cast<Index>(layers.size()), 1);
  check_at_least("paper", "repeats", options.repeats, 2);
  const std::vector<RealCase> cases = real_cases(layers);
  Stopwatch watch;
  std::vector<Section> sections;
  const auto add = [&](const char* name, const char* title, std::vector<Figure> figures) {
    sections.push_back({name, title, std::move(figures), watch.lap()});
  };
  add("vary-s", "A real model: Multi-TCAV with more runs", vary_runs(cases, options));
  add("vary-N", "A real model: more random examples", vary_budget(cases, options));
  add("alpha-star", "A real model: α*", alpha_star_table(cases));
  add("encoded", "A real model: is the concept encoded?", encoded_concepts(layers));
  add("time", "A real model: time per estimate", estimate_time(layers, options));
  add("real-correlation", "A real model: inputs share one CAV", real_correlation(cases, options));
  return sections;
}

}  // namespace atcav::paper
