#include "pipeline/discover_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/check.h"
#include "data/array/open_array.h"
#include "data/file/sha256.h"
#include "model/chosen_rows.h"
#include "pipeline/check_config.h"
#include "pipeline/collect_rows.h"
#include "pipeline/row_groups.h"

namespace atcav {
namespace {

OpenedSet open_rows(const Session& session, const Role& role, const std::string& path,
                    std::shared_ptr<const model::StoredExamples> all, const std::vector<Index>& rows) {
  model::Inputs inputs(
      std::shared_ptr<model::StoredExamples>(std::make_shared<model::ChosenRows>(std::move(all), rows)));
  std::vector<std::string> hashes = session.cache ? model::content_hashes(inputs, session.reading.threads)
                                                  : std::vector<std::string>(rows.size());
  return {role, path, std::move(inputs), std::move(hashes)};
}

// As many as `most`, in the file's order: those with the largest |cosine| with the slope.
LayerDirections steepest_directions(const LayerDirections& all, const Vector& slope, Index most) {
  Vector cosines = (all.rows * slope).cwiseAbs();
  for (Index row = 0; row < cosines.size(); ++row) {
    const double length = all.rows.row(row).norm();
    if (length > 0) cosines(row) /= length;
  }
  std::vector<Index> order(static_cast<std::size_t>(cosines.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return cosines(a) > cosines(b); });
  order.resize(static_cast<std::size_t>(std::min(most, cosines.size())));
  std::ranges::sort(order);
  LayerDirections chosen{all.layer, {}, all.rows(order, Eigen::all)};
  for (const Index row : order) chosen.concepts.push_back(all.concepts[static_cast<std::size_t>(row)]);
  return chosen;
}

// Of one half of each class, by layer.
std::vector<LayerData> gradients_of(Discovery& all, OpenedSet HalvedSet::*half) {
  LayerNames names;
  for (const HalvedSet& set : all.classes) names.classes.push_back({set.role.name, (set.*half).rows()});
  std::vector<LayerData> gradients;
  for (const ProbedLayer& layer : all.session->layers) {
    LayerData& data = gradients.emplace_back();
    data.names = names;
    data.names.layer = layer.name;
  }
  std::vector<OpenedSet> sets;
  for (HalvedSet& set : all.classes) sets.push_back(std::move(set.*half));
  const CollectOptions how{all.options, all.config.run.on_gpu(), false, all.progress};
  collect_gradients(
      *all.session, sets, all.targets, [] {}, how, gradients);
  for (std::size_t k = 0; k < sets.size(); ++k) all.classes[k].*half = std::move(sets[k]);
  return gradients;
}

void choose_directions(Discovery& all) {
  if (!all.dictionary) return;
  all.chosen.assign(all.classes.size(), *all.dictionary);
  if (all.dictionary->rows.rows() <= kMostTested) return;
  const LayerData data = std::move(gradients_of(all, &HalvedSet::finds).front());
  for (std::size_t k = 0; k < all.classes.size(); ++k) {
    const Vector slope = data.gradients.middleRows(data.names.first_input(k), data.names.classes[k].inputs)
                             .cast<double>()
                             .colwise()
                             .mean()
                             .transpose();
    all.chosen[k] = steepest_directions(*all.dictionary, slope, kMostTested);
  }
}

}  // namespace

std::vector<std::string> HalvedSet::groups_of(const std::vector<Index>& some) const {
  std::vector<std::string> names;
  for (const Index row : some)
    if (!groups.empty()) names.push_back(groups[static_cast<std::size_t>(row)]);
  return names;
}

Input HalvedSet::describe() const {
  std::vector<std::string> hashes(static_cast<std::size_t>(all->rows()));
  for (std::size_t i = 0; i < rows.finds.size(); ++i) hashes[rows.finds[i]] = finds.hashes[i];
  for (std::size_t i = 0; i < rows.tests.size(); ++i) hashes[rows.tests[i]] = tests.hashes[i];
  data::Sha256 hash;
  for (const std::string& one : hashes) hash.update(one);
  return {role, path, hash.hex(), {all->rows()}};
}

HalvedSet open_halves(const Session& session, const Config& config, const Role& role, const std::string& path,
                      bool reuse) {
  model::InputOptions reading = session.reading;
  reading.subfolders = role.kind == Role::Kind::kRandom;
  std::shared_ptr<model::StoredExamples> all = model::open_examples(path, session.facts.inputs, reading);
  std::vector<std::string> groups;
  if (role.kind == Role::Kind::kClass) {
    std::vector<std::string> files;
    for (Index row = 0; row < all->rows() && !all->file(row).empty(); ++row) files.push_back(all->file(row));
    groups = class_groups(config, role.name, files, all->rows());
  }
  Halves rows = halve(role_text(role), groups, all->rows(), config.options.seed);
  if (reuse) rows.tests = rows.finds;
  OpenedSet finds = open_rows(session, role, path, all, rows.finds);
  OpenedSet tests = open_rows(session, role, path, all, rows.tests);
  return {role, path, std::move(all), std::move(rows), std::move(groups), std::move(finds), std::move(tests)};
}

LayerDirections read_dictionary(const std::string& spec, const ProbedLayer& layer) {
  LayerDirections found{layer.name, {}, {}};
  if (spec.ends_with(".safetensors")) {
    found = read_directions(spec, {layer.name}).layers.front();
  } else {
    found.rows = data::open_array(spec).read_double();
    check_finite("discover", "dictionary " + spec, MatrixRef(found.rows));
    const auto digits = std::to_string(std::max<Index>(found.rows.rows() - 1, 0)).size();
    for (Index row = 0; row < found.rows.rows(); ++row)
      found.concepts.push_back(fmt::format("{:0{}}", row, digits));
  }
  check_same("discover", "columns", spec, found.rows.cols(), "the layer (channels)", layer.columns);
  return found;
}

void open_sets(Discovery& all) {
  const Config& config = all.config.run;
  const Session& session = *all.session;
  for (const ClassSet& set : config.classes) {
    all.classes.push_back(
        open_halves(session, config, {Role::Kind::kClass, set.name}, set.path, all.config.reuse));
    const ClassTarget target = resolve_target(set, all.classes.back().all->rows(), session.facts);
    if (target.per_input())
      fail_argument("discover",
                    fmt::format("class '{}' has a target for each input, must have one", set.name));
    all.targets.push_back(target);
  }
  all.random = open_halves(session, config, Role::Kind::kRandom, config.random, false);
  for (const ExampleSet& set : config.concepts)
    all.named.push_back(open_set(session, {Role::Kind::kConcept, set.name}, set.path, nullptr));
  LayerNames names;
  for (const ClassSet& set : config.classes) names.classes.push_back({set.name, 0});
  for (const ExampleSet& set : config.concepts) names.concepts.push_back(set.name);
  check_names(names, /*has_labels=*/true);
}

void read_gradients(Discovery& all) {
  choose_directions(all);
  all.gradients = gradients_of(all, &HalvedSet::tests);
}

void read_activations(Discovery& all) {
  Session& session = *all.session;
  const std::uint64_t seed = all.options.seed;
  Index total = all.random->all->rows();
  for (const HalvedSet& set : all.classes) total += set.finds.rows() + set.tests.rows();
  for (const OpenedSet& set : all.named) total += set.rows();
  Index before = 0;
  const auto told = [&](OpenedSet& set) -> Progress {
    const Index here = std::exchange(before, before + set.rows());
    return [&all, here, total](const std::string&, Index done, Index) {
      if (all.progress) all.progress("activations", here + done, total);
    };
  };
  for (HalvedSet& set : all.classes) {
    all.finding.push_back(read_positions(session, set.finds, seed, all.config.positions, told(set.finds)));
    all.testing.push_back(read_positions(session, set.tests, seed, all.config.positions, told(set.tests)));
  }
  all.random_finding =
      read_positions(session, all.random->finds, seed, all.config.positions, told(all.random->finds));
  all.random_testing = read_pooled(session, all.random->tests, told(all.random->tests));
  all.named_steps.resize(all.random_testing.size());
  for (OpenedSet& set : all.named) {
    const std::vector<Matrix> pooled = read_pooled(session, set, told(set));
    for (std::size_t i = 0; i < pooled.size(); ++i)
      all.named_steps[i].add(set.role.name, pooled[i], all.random_testing[i]);
  }
}

}  // namespace atcav
