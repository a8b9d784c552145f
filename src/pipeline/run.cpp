#include "atcav/run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "comm/comm.h"
#include "core/stopwatch.h"
#include "pipeline/analyse.h"
#include "pipeline/collect.h"
#include "pipeline/explain_classes.h"
#include "pipeline/influences.h"
#include "pipeline/interventions.h"
#include "pipeline/position_maps.h"

namespace atcav {

RunResult run(const Config& config, const Progress& progress, const Given& given) {
  const comm::ScopedRanks ranks(given.ranks);
  CollectedRun collected = collect(config, progress, given);
  if (comm::rank() != 0) return {};
  return analyse_run(config, std::move(collected), progress, given.keep_cavs || !config.save_cavs.empty());
}

RunResult analyse_run(const Config& config, CollectedRun collected, const Progress& progress,
                      bool keep_cavs) {
  Session& session = *collected.session;
  Interventions interventions(
      session, {collected.sets, collected.tried, collected.labels, collected.targets},
      {collected.about.options, !config.no_erase, config.erase_together, config.eraser});
  PositionMapper maps(session, collected.sets);
  std::size_t number = 0;
  std::vector<Explained> explained;
  const Options options = collected.about.options;
  const auto on_layer = [&](const AnalysedLayer& layer) {
    std::ranges::move(explain_classes(layer, options), std::back_inserter(explained));
    interventions.try_out(number, layer);
    maps.map_sensitivities(number++, layer);
  };
  RunResult result = analyse(collected.layers, std::move(collected.about), progress, keep_cavs, on_layer);
  if (config.influences) result.influences = keep_influences(collected.layers, std::move(collected.hashes));
  result.speaks_for = interventions.take_speaks_for();
  result.erased_together = interventions.take_together();
  result.explained = std::move(explained);
  Stopwatch watch;
  maps.map_activations(result.results);
  result.remarks = session.remarks();
  watch.lap("maps");
  result.seconds.insert(result.seconds.end(), watch.seconds().begin(), watch.seconds().end());
  return result;
}

}  // namespace atcav
