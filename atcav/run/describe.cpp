#include "atcav/run/describe.h"

#include <fmt/format.h>

#include "atcav/span/product.h"

namespace atcav {
namespace {

// results.json must not differ because of threads or because a cache was used.
Config without_what_changes_no_result(Config config) {
  const Config defaults;
  config.options.threads = defaults.options.threads;
  config.cache = defaults.cache;
  config.cache_gb = defaults.cache_gb;
  config.save_cavs = defaults.save_cavs;
  return config;
}

std::vector<std::string> cache_remarks(const io::Cache& cache) {
  std::vector<std::string> remarks;
  if (cache.damaged() > 0) {
    remarks.push_back(
        fmt::format("{} damaged cache entries were noticed and computed again", cache.damaged()));
  }
  if (cache.not_kept() > 0) {
    remarks.push_back(fmt::format("{} blocks could not be kept in the cache, the first because: {}",
                                  cache.not_kept(), cache.why_not_kept()));
  }
  return remarks;
}

}  // namespace

RunResult describe_run(const Config& config, const Probe& probe,
                                std::span<const ExampleFiles> sets, std::span<const ExampleFiles> classes) {
  RunResult about;
  about.libraries = span::product_libraries();
  about.libraries["LibTorch"] = ATCAV_LIBTORCH_VERSION;
  about.notes = probe.model().notes();
  about.inputs.push_back({"model", config.model, probe.model_hash(), {}});
  for (const auto list : {sets, classes}) {
    for (const ExampleFiles& set : list) {
      about.inputs.push_back(set.describe());
      for (std::string& note : copies_within(set)) about.notes.push_back(std::move(note));
      if (set.inputs().bad().empty()) continue;
      about.notes.push_back(fmt::format("{} unreadable files of {} were left out (e.g. {})",
                                        set.inputs().bad().size(), set.role(),
                                        set.inputs().bad().front().path));
    }
  }
  about.setup = write_config(without_what_changes_no_result(config));
  about.examples_run = probe.examples_run();
  for (std::size_t k = 0; k < classes.size(); ++k) {
    std::vector<std::string> files;
    for (Index row = 0; row < classes[k].rows(); ++row) files.push_back(classes[k].inputs().file(row));
    if (!files.front().empty()) about.class_files[config.classes[k].name] = std::move(files);
  }
  if (probe.cache() != nullptr) about.remarks = cache_remarks(*probe.cache());
  return about;
}

}  // namespace atcav
