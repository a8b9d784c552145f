#include "pipeline/array_layer.h"

#include <fmt/format.h>

#include <deque>

#include "core/check.h"
#include "core/memory.h"
#include "pipeline/analyse.h"
#include "pipeline/array_rows.h"
#include "pipeline/check_config.h"
#include "pipeline/label_tables.h"
#include "pipeline/labels.h"
#include "pipeline/row_groups.h"
#include "stats/label_encoding.h"

namespace atcav {
namespace {

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

// Names of the layer's sets, whose shapes must agree. Returns the sets of the first pass.
std::vector<pass::RowSource*> name_sets(const ArraySources& sources, LayerData& data) {
  const pass::RowSource& base = sources.first();
  data.names.layer = sources.layer;
  data.names.relative = sources.relative;
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
  for (const RowSet& set : sources.gradients) {
    check_shape(*set.rows, base, 1);
    data.names.classes.push_back({set.name, set.rows->rows()});
  }
  check_names(data.names, sources.labels != nullptr);
  return sets;
}

void check_paired_rows(const LayerNames& names, const std::vector<pass::RowSource*>& sets) {
  std::vector<Index> rows;
  rows.reserve(sets.size());
  for (const pass::RowSource* set : sets) rows.push_back(set->rows());
  check_pairs(names, rows);
}

std::vector<PlannedPass> plan_passes(const ArraySources& sources, std::vector<pass::RowSource*> sets,
                                     const Options& options) {
  std::vector<PlannedPass> plans;
  if (!sets.empty()) plans.push_back(plan_pass(std::move(sets), options, sources.smallest()));
  if (sources.labels) {
    const Index rows = sources.pool.rows->rows();
    plans.push_back(plan_pass({sources.pool.rows}, options, rows));
    plans.back().options.gram = keeps_pool_rows(rows, sources.first().columns());
  }
  return plans;
}

Index rows_of(const std::vector<PlannedPass>& plans) {
  Index rows = 0;
  for (const PlannedPass& plan : plans) rows += plan.rows;
  return rows;
}

void check_room(const std::vector<PlannedPass>& plans, Index inputs, Index columns, const Options& options) {
  double bytes = 0;
  for (const PlannedPass& plan : plans)
    bytes += layer_bytes(bytes > 0 ? 0 : inputs, columns, plan.rows, std::ssize(plan.sets), plan.options);
  check_memory("score", fmt::format("scoring {} examples of {} columns", rows_of(plans), columns), bytes,
               memory_budget(options.memory));
}

}  // namespace

LayerData collect_arrays(const ArraySources& sources, const Config& config, RunInfo& about,
                         const Progress& progress) {
  const Options options = checked(config.options);
  LayerData data;
  data.labels = sources.labels;
  std::vector<pass::RowSource*> sets = name_sets(sources, data);
  if (options.pairs) check_paired_rows(data.names, sets);
  data.groups = row_groups(config, data.names, {}, sources.labels != nullptr,
                           sources.labels ? sources.labels->groups : std::vector<std::string>{});
  std::vector<PlannedPass> plans = plan_passes(sources, std::move(sets), options);
  Index inputs = 0;
  for (const LayerNames::Class& one : data.names.classes) inputs += one.inputs;
  check_room(plans, inputs, sources.first().columns(), options);
  data.gradients = read_gradients(sources, inputs);
  std::deque<ChosenSource> chosen;
  if (!options.reads_all()) {
    chosen = read_some_rows(plans.front().sets, data, options, about, progress);
    std::vector<pass::RowSource*> read;
    read.reserve(chosen.size());
    for (ChosenSource& set : chosen) read.push_back(&set);
    const Index smallest = std::ranges::min(chosen, {}, &ChosenSource::rows).rows();
    plans.front() = plan_pass(std::move(read), options, smallest);
  }
  const Index examples = rows_of(plans);
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

}  // namespace atcav
