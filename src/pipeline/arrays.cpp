#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "atcav/run.h"
#include "core/check.h"
#include "core/stopwatch.h"
#include "data/array/open_array.h"
#include "data/file/sha256.h"
#include "pipeline/analyse.h"
#include "pipeline/array_layer.h"
#include "pipeline/array_rows.h"
#include "pipeline/check_config.h"
#include "pipeline/influences.h"
#include "pipeline/label_tables.h"
#include "pipeline/labels.h"
#include "pipeline/layer_data.h"

namespace atcav {
namespace {

void check_arrays(const ArraySources& sources, const Config& config) {
  check_pairs(config);
  check_reading(config, false);
  if (config.options.pairs && sources.labels)
    fail_argument("pairs", "--pairs cannot be combined with --pool, whose rows are labelled one by one");
  if (sources.random.rows == nullptr && !sources.labels)
    fail_argument("score", "no random examples were given");
  if (sources.concepts.empty() && !sources.labels) fail_argument("score", "no concept was given");
  if (sources.gradients.empty()) fail_argument("score", "no gradients were given");
  check_influences(config, false);
  if (sources.labels) check_labelled(config, sources.random.rows != nullptr, !sources.concepts.empty());
}

// What many concepts give at once for many inputs is read and analysed in parts of so many bytes: in one
// where something needs all at once, as everything but plain differences of means does, and where the whole
// may be small enough to be done in double (pass/pass.h).
constexpr double kPartBytes = 128 * 1024.0 * 1024;
constexpr Index kFewColumns = 16;

std::vector<ArraySources> parts_of(const ArraySources& sources, const Config& config, bool keep_cavs) {
  const Options options = checked(config.options);
  const bool grouped =
      !config.group_by.empty() || !config.group_column.empty() || !config.class_groups.empty();
  if (!options.reads_all() || sources.labels || !sources.relative.empty() || config.influences || keep_cavs ||
      grouped || options.moments_only || !stats::is_mean_difference(options.cav.method) ||
      sources.first().columns() < kFewColumns)
    return {};
  double inputs = 0;
  for (const RowSet& set : sources.gradients) inputs += static_cast<double>(set.rows->rows());
  std::vector<ArraySources> parts;
  double bytes = 0;
  for (const RowSet& set : sources.concepts) {
    const double own = inputs * static_cast<double>(set.rows->rows()) * sizeof(double);
    if (parts.empty() || bytes + own > kPartBytes) {
      parts.push_back(sources);
      parts.back().concepts.clear();
      parts.back().smallest_set = sources.smallest();
      bytes = 0;
    }
    parts.back().concepts.push_back(set);
    bytes += own;
  }
  return parts;
}

// Where nothing was asked for, so many tests rest on fewer resamples each; what was asked for is done.
Options for_tests(Options options, std::size_t tests, std::vector<std::string>& notes) {
  constexpr std::size_t kManyTests = 2000;
  constexpr Index kFewer = 200;
  const bool usual = options.bootstrap == 0;
  options = checked(options);
  if (!usual || tests < kManyTests || options.bootstrap <= kFewer) return options;
  notes.push_back(
      fmt::format("intervals of {} tests rest on {} resamples each, not on {} as those of fewer tests: "
                  "bootstrap {} asks for them",
                  tests, kFewer, options.bootstrap, options.bootstrap));
  options.bootstrap = kFewer;
  return options;
}

RunResult analyse_parts(const std::vector<ArraySources>& parts, const Config& config, RunInfo about,
                        const Progress& progress) {
  Index concepts = 0;
  RunInfo unused;  // parts read everything
  for (const ArraySources& part : parts) concepts += std::ssize(part.concepts);
  return analyse({std::ssize(parts), concepts,
                  [&](Index part) { return collect_arrays(parts[part], config, unused, {}); }},
                 std::move(about), progress);
}

std::shared_ptr<const PoolLabels> labels_of(const LabelTable& table, const pass::RowSource& pool,
                                            RunInfo& about) {
  if (!table.numbered && !table.rows.empty()) {
    fail_argument("labels",
                  fmt::format("{} names files, but the pool is an array: its first column must be 'row', "
                              "the number of the row from 0",
                              table.name));
  }
  auto labels = std::make_shared<PoolLabels>(match_labels(table, {}, pool.rows()));
  about.notes.insert(about.notes.end(), labels->notes.begin(), labels->notes.end());
  return labels;
}

}  // namespace

RunResult score(const std::vector<NamedRows>& concepts, const MatrixFRef& random,
                const std::vector<NamedRows>& gradients, const Options& options, const std::string& layer,
                const Progress& progress, bool keep_cavs) {
  Config config;
  config.options = options;
  config.layers = {layer};
  return score({concepts, random, gradients, {}}, config, progress, keep_cavs);
}

RunResult score(const Arrays& arrays, const Config& asked, const Progress& progress, bool keep_cavs) {
  RunInfo about;
  about.command = "score";
  Config config = asked;
  config.options = about.options =
      for_tests(asked.options, arrays.concepts.size() * arrays.gradients.size(), about.notes);
  std::deque<ViewSource> views;  // sources point into it
  const auto add = [&views](Role role, const MatrixFRef& rows) {
    return &views.emplace_back(std::move(role), rows);
  };
  ArraySources sources;
  if (!config.layers.empty()) sources.layer = config.layers.front();
  if (arrays.random) sources.random = {"random", add(Role::Kind::kRandom, *arrays.random)};
  for (const NamedRows& set : arrays.concepts)
    sources.concepts.push_back({set.name, add({Role::Kind::kConcept, set.name}, set.rows)});
  if (arrays.pool) {
    sources.pool = {"pool", add(Role::Kind::kPool, arrays.pool->rows)};
    sources.labels = labels_of(arrays.pool->labels, *sources.pool.rows, about);
  }
  for (const NamedRows& set : arrays.gradients)
    sources.gradients.push_back({set.name, add({Role::Kind::kGradients, set.name}, set.rows)});
  check_arrays(sources, config);
  const std::vector<ArraySources> parts = parts_of(sources, config, keep_cavs);
  if (parts.size() > 1) {
    for (const ViewSource& view : views) about.inputs.push_back(view.describe());
    RunResult result = analyse_parts(parts, config, std::move(about), progress);
    warn_of_equal_inputs(result);
    return result;
  }
  const LayerData data = collect_arrays(sources, config, about, progress);
  for (const ViewSource& view : views) about.inputs.push_back(view.describe());
  RunResult result = analyse({&data, 1}, std::move(about), progress, keep_cavs);
  warn_of_equal_inputs(result);
  if (config.influences) result.influences = keep_influences({&data, 1}, {});
  return result;
}

RunResult score(const Config& asked, const Progress& progress) {
  Stopwatch watch;
  RunInfo about;
  about.command = "score";
  Config config = asked;
  config.options = about.options =
      for_tests(asked.options, asked.concepts.size() * asked.gradients.size(), about.notes);
  check_pool(config);
  if (config.gradients.empty()) fail_argument("score", "no gradients were given");  // before files are opened
  check_groups(config, false);
  if (config.layers.size() > 1) fail_argument("score", "arrays are of one layer, more were named");
  struct Opened {
    Input input;
    FileSource source;
    data::BackgroundHash hash;  // while the rows are read, so that files are read from the disk once
  };
  std::deque<Opened> opened;
  const auto add = [&opened](const Role& role, const std::string& path) {
    data::Array array = data::open_array(path);
    Input input{role, path, "", {array.shape().begin(), array.shape().end()}};
    data::BackgroundHash hash(array);
    opened.push_back({std::move(input),
                      {fmt::format("{} ({})", role_text(role), path), std::move(array)},
                      std::move(hash)});
    return &opened.back().source;
  };
  ArraySources sources;
  Input labels_file;
  if (!config.random.empty()) sources.random = {"random", add(Role::Kind::kRandom, config.random)};
  if (!config.layers.empty()) sources.layer = config.layers.front();
  for (const ExampleSet& set : config.concepts)
    sources.concepts.push_back({set.name, add({Role::Kind::kConcept, set.name}, set.path)});
  if (!config.pool_examples.empty()) {
    sources.pool = {"pool", add(Role::Kind::kPool, config.pool_examples)};
    const LabelTable table = open_labels(config);
    labels_file = describe_labels(config, table);
    sources.labels = labels_of(table, *sources.pool.rows, about);
  }
  for (const ExampleSet& set : config.gradients) {
    const std::string name = !set.name.empty() ? set.name : config.gradients.size() == 1 ? "class" : set.path;
    sources.gradients.push_back({name, add({Role::Kind::kGradients, name}, set.path)});
  }
  sources.relative = relative_positions(config);
  check_arrays(sources, config);
  watch.lap("open");
  const std::vector<ArraySources> parts = parts_of(sources, config, !config.save_cavs.empty());
  LayerData data;
  if (parts.size() < 2) {
    data = collect_arrays(sources, config, about, progress);
    watch.lap("pass");
  }
  for (Opened& file : opened) {
    if (progress) progress("hash", std::ssize(about.inputs), std::ssize(opened));
    file.input.sha256 = file.hash.get();
    about.inputs.push_back(file.input);
  }
  const auto rounding_notes = [&opened] {
    std::vector<std::string> notes;
    notes.reserve(opened.size());
    for (const Opened& file : opened) notes.push_back(file.source.rounding_note());
    std::erase(notes, "");
    return notes;
  };
  if (sources.labels) about.inputs.push_back(labels_file);
  watch.lap("hash");
  about.seconds = watch.seconds();
  if (parts.size() > 1) {
    const auto before = static_cast<std::ptrdiff_t>(about.notes.size());
    RunResult result = analyse_parts(parts, config, std::move(about), progress);
    const std::vector<std::string> rounded = rounding_notes();
    result.notes.insert(result.notes.begin() + before, rounded.begin(), rounded.end());
    warn_of_equal_inputs(result);
    return result;
  }
  for (std::string& note : rounding_notes()) about.notes.push_back(std::move(note));
  RunResult result = analyse({&data, 1}, std::move(about), progress, !config.save_cavs.empty());
  warn_of_equal_inputs(result);
  if (config.influences) result.influences = keep_influences({&data, 1}, {});
  return result;
}

}  // namespace atcav
