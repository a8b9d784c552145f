#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "atcav/run.h"
#include "core/check.h"
#include "core/memory.h"
#include "data/array/open_array.h"
#include "data/file/sha256.h"
#include "pipeline/analyse.h"
#include "pipeline/array_rows.h"
#include "pipeline/check_config.h"
#include "pipeline/influences.h"
#include "pipeline/label_tables.h"
#include "pipeline/labels.h"
#include "pipeline/layer_data.h"
#include "pipeline/row_groups.h"
#include "stats/label_encoding.h"

namespace atcav {
namespace {

// Rows from anywhere: what both ways in are made of.
struct RowSet {
  std::string name;         // as results call it; messages use rows->name()
  pass::RowSource* rows{};  // never null
};
struct ArraySources {
  RowSet random = {};
  std::vector<RowSet> concepts;   // at least two rows each
  std::vector<RowSet> gradients;  // one per class, at least one row each
  std::string layer;
  std::vector<std::pair<Index, Index>> relative;  // as LayerNames::relative
  RowSet pool = {};
  std::shared_ptr<const PoolLabels> labels = {};

  Index smallest_set = 0;  // of a part of the concepts: the smallest of all; 0: these are all

  pass::RowSource& first() const { return random.rows != nullptr ? *random.rows : *pool.rows; }
  Index smallest() const {
    Index smallest = smallest_set > 0 ? smallest_set : random.rows->rows();
    for (const RowSet& set : concepts) smallest = std::min(smallest, set.rows->rows());
    return smallest;
  }
};

void check_shape(const pass::RowSource& source, const pass::RowSource& first, Index least_rows) {
  check_at_least("score", fmt::format("number of rows of {}", source.name()), source.rows(), least_rows);
  check_at_least("score", fmt::format("number of columns of {}", source.name()), source.columns(), 1);
  check_same("score", "columns", source.name(), source.columns(), first.name(), first.columns());
}

MatrixF read_gradients(const ArraySources& sources, Index rows) {
  MatrixF gradients(rows, sources.first().columns());
  Index first = 0;
  for (const RowSet& set : sources.gradients) {
    auto part = gradients.middleRows(first, set.rows->rows());
    set.rows->read(0, part);
    check_finite("score", set.rows->name(), MatrixFRef(part));
    first += set.rows->rows();
  }
  return gradients;
}

// Both passes are over the same gradients.
struct PlannedPass {
  std::vector<pass::RowSource*> sets;
  pass::PassOptions options;
  Index rows = 0;
};

PlannedPass plan_pass(std::vector<pass::RowSource*> sets, const Options& options, Index smallest) {
  PlannedPass plan;
  for (const pass::RowSource* set : sets) plan.rows += set->rows();
  plan.options = pass_options(options, smallest);
  plan.sets = std::move(sets);
  return plan;
}

// Of a pool too large for inner products of all rows: some go along as if they were gradients.
constexpr Index kScoredRows = 200;

void append_scored(MatrixF& gradients, pass::RowSource& pool) {
  const Index count = std::min(kScoredRows, pool.rows());
  const std::vector<Index> rows = stats::scored_rows(count, pool.rows());
  gradients.conservativeResize(gradients.rows() + count, Eigen::NoChange);
  auto scored = gradients.bottomRows(count);
  for (Index s = 0; s < count; ++s) pool.read(rows[s], scored.middleRows(s, 1));
  check_finite("score", pool.name(), MatrixFRef(scored));
  const Eigen::RowVectorXf mean = scored.colwise().mean();
  scored.rowwise() -= mean;
}

void split_scored(LayerData& data, Index inputs) {
  Matrix& values = data.pool->sets[0].projections.values;
  data.pool_products = values.bottomRows(values.rows() - inputs);
  values = Matrix(values.topRows(inputs));
  data.gradients.conservativeResize(inputs, Eigen::NoChange);
}

LayerData collect(const ArraySources& sources, const Config& config, RunInfo& about,
                  const Progress& progress) {
  const Options options = checked(config.options);
  LayerData data;
  data.names.layer = sources.layer;
  data.names.relative = sources.relative;
  data.labels = sources.labels;
  const pass::RowSource& base = sources.first();
  std::vector<pass::RowSource*> sets;
  if (sources.random.rows != nullptr) {
    check_shape(*sources.random.rows, base, 2);
    sets.push_back(sources.random.rows);
  }
  for (const RowSet& set : sources.concepts) {
    check_shape(*set.rows, base, 2);
    data.names.concepts.push_back(set.name);
    sets.push_back(set.rows);
  }
  if (sources.labels) check_shape(*sources.pool.rows, base, 4);
  Index inputs = 0;
  for (const RowSet& set : sources.gradients) {
    check_shape(*set.rows, base, 1);
    data.names.classes.push_back({set.name, set.rows->rows()});
    inputs += set.rows->rows();
  }
  check_names(data.names, sources.labels != nullptr);
  if (options.pairs) {
    std::vector<Index> rows;
    rows.reserve(sets.size());
    for (const pass::RowSource* set : sets) rows.push_back(set->rows());
    check_pairs(data.names, rows);
  }
  data.groups = row_groups(config, data.names, {}, sources.labels != nullptr,
                           sources.labels ? sources.labels->groups : std::vector<std::string>{});
  std::vector<PlannedPass> plans;
  if (!sets.empty()) plans.push_back(plan_pass(std::move(sets), options, sources.smallest()));
  const Index columns = base.columns();
  if (sources.labels) {
    plans.push_back(plan_pass({sources.pool.rows}, options, sources.pool.rows->rows()));
    plans.back().options.gram = keeps_pool_rows(sources.pool.rows->rows(), columns);
  }
  Index examples = 0;
  double bytes = 0;
  for (const PlannedPass& plan : plans) {
    examples += plan.rows;
    bytes += layer_bytes(bytes > 0 ? 0 : inputs, columns, plan.rows, std::ssize(plan.sets), plan.options);
  }
  check_memory("score", fmt::format("scoring {} examples of {} columns", examples, columns), bytes,
               memory_budget(options.memory));
  data.gradients = read_gradients(sources, inputs);
  std::deque<ChosenSource> chosen;
  if (!options.reads_all()) {
    chosen = read_some_rows(plans.front().sets, data, options, about, progress);
    std::vector<pass::RowSource*> read;
    for (ChosenSource& set : chosen) read.push_back(&set);
    const Index smallest = std::ranges::min(chosen, {}, &ChosenSource::rows).rows();
    examples -= plans.front().rows;
    plans.front() = plan_pass(std::move(read), options, smallest);
    examples += plans.front().rows;
  }
  const bool scored_apart = sources.labels && !plans.back().options.gram;
  Index before = 0;
  for (PlannedPass& plan : plans) {
    plan.options.progress = [&](Index done, Index /*total*/) {
      if (progress) progress("read", before + done, examples);
    };
    const bool of_pool = sources.labels && plan.sets.front() == sources.pool.rows;
    if (of_pool && scored_apart) append_scored(data.gradients, *sources.pool.rows);
    (of_pool ? data.pool : data.pass) = pass::run_pass(data.gradients, plan.sets, plan.options);
    before += plan.rows;
  }
  if (sources.labels && !scored_apart) data.pool_products = pool_products(*data.pool);
  if (scored_apart) split_scored(data, inputs);
  return data;
}

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
  return analyse(
      {std::ssize(parts), concepts, [&](Index part) { return collect(parts[part], config, unused, {}); }},
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
  const LayerData data = collect(sources, config, about, progress);
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
    data = collect(sources, config, about, progress);
    watch.lap("pass");
  }
  for (Opened& file : opened) {
    if (progress) progress("hash", std::ssize(about.inputs), std::ssize(opened));
    file.input.sha256 = file.hash.get();
    about.inputs.push_back(file.input);
  }
  const auto rounding_notes = [&opened] {
    std::vector<std::string> notes;
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
