#include "atcav/repair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "atcav/version.h"
#include "core/check.h"
#include "core/memory.h"
#include "model/erase_onnx.h"
#include "pipeline/check_config.h"
#include "pipeline/layer_rows.h"
#include "pipeline/opened_set.h"
#include "pipeline/session.h"
#include "pipeline/targets.h"
#include "stats/erasure.h"

namespace atcav {
namespace {

namespace fs = std::filesystem;

void check_request(const Config& config) {
  check_config(config, /*has_directions=*/false);
  if (config.model.empty()) fail_argument("repair", "no model was given");
  if (config.random.empty()) fail_argument("repair", "no random examples were given");
  check_at_least("repair", "number of concepts", std::ssize(config.concepts), 1);
  const auto check_distinct = [](const auto& sets, const char* what) {
    std::set<std::string> names;
    for (const auto& set : sets) {
      if (!names.insert(set.name).second)
        fail_argument("repair", fmt::format("the {} '{}' is given twice", what, set.name));
    }
  };
  check_distinct(config.concepts, "concept");
  check_distinct(config.classes, "group of --check");
  if (config.layers.size() != 1)
    fail_argument("repair", fmt::format("{} layers were given, must be one", config.layers.size()));
}

// One at a time: a repaired file is one file.
void check_session(const Session& session, const Config& config, const std::string& output) {
  if (session.layers.size() != 1)
    fail_argument("repair", fmt::format("'{}' stands for {} layers, must be one", config.layers.front(),
                                        session.layers.size()));
  const auto folder = [](const std::string& file) { return fs::absolute(file).parent_path(); };
  std::error_code gone;
  if (!session.facts.files.empty() && !fs::equivalent(folder(config.model), folder(output), gone)) {
    fail_argument("repair", fmt::format("{} keeps weights in other files, e.g. {}: {} must lie in its folder",
                                        config.model, session.facts.files.front(), output));
  }
}

// Of a set: the mean, and all rows where a fit needs them.
struct Examples {
  Vector mean;
  Matrix rows;
};

Examples read_examples(Session& session, OpenedSet& set, bool keep, const std::function<void(Index)>& done) {
  Examples found{Vector::Zero(session.layers.front().columns), {}};
  if (keep) found.rows.resize(set.rows(), found.mean.size());
  for (Index first = 0; first < set.rows();) {
    const Index count = set.inputs.block(first, std::min(session.batch, set.rows() - first));
    set.inputs.expect(first + count);
    const RowsPtr block = layer_activations(session, set, first, count).front();
    const Matrix rows = block->host().cast<double>();
    check_finite("repair", set.name(), rows);
    found.mean += rows.colwise().sum().transpose();
    if (keep) found.rows.middleRows(first, count) = rows;
    first += count;
    done(first);
  }
  found.mean /= static_cast<double>(set.rows());
  return found;
}

// The sets of a repair: random, then the concepts.
stats::Eraser find_eraser(Session& session, std::vector<OpenedSet>& sets, const Options& options,
                          const Progress& progress) {
  const bool fitted = !stats::is_mean_difference(options.cav.method);
  Index total = 0;
  for (const OpenedSet& set : sets) total += set.rows();
  if (fitted) {
    check_memory("repair", fmt::format("{} examples of {} columns", total, session.layers.front().columns),
                 2 * sizeof(double) * static_cast<double>(total * session.layers.front().columns),
                 memory_budget(options.memory));
  }
  Index before = 0;
  const auto read = [&](OpenedSet& set) {
    Examples found = read_examples(session, set, fitted, [&](Index done) {
      if (progress) progress("activations", before + done, total);
    });
    before += set.rows();
    return found;
  };
  const Examples random = read(sets.front());
  Matrix directions(std::ssize(sets) - 1, random.mean.size());
  Matrix tellers = directions;
  for (Index c = 0; c < directions.rows(); ++c) {
    const Examples of_concept = read(sets[static_cast<std::size_t>(c) + 1]);
    directions.row(c) = (of_concept.mean - random.mean).transpose();
    tellers.row(c) = directions.row(c);
    if (fitted)
      tellers.row(c) = stats::fit_cav(random.rows, of_concept.rows, options.cav).direction.transpose();
  }
  auto eraser = stats::make_eraser(directions, tellers, random.mean);
  if (!eraser) {
    fail_argument("repair", fmt::format("at '{}' the concepts cannot be told from random examples and from "
                                        "each other, so nothing can be taken out",
                                        session.layers.front().name));
  }
  return *std::move(eraser);
}

RepairedGroup::Share share_of(Index hits, Index inputs, double level) {
  const auto n = static_cast<double>(inputs);
  const auto k = static_cast<double>(hits);
  return {hits, k / n, stats::share_interval(k, n, level)};
}

RepairedGroup::Change mean_change(const Vector& changes, double level) {
  const double mean = changes.mean();
  double reach = HUGE_VAL;
  if (changes.size() > 1) {
    const boost::math::students_t law(static_cast<double>(changes.size() - 1));
    reach = boost::math::quantile(law, (1 + level) / 2) * stats::mean_error(changes);
  }
  return {mean, {mean - reach, mean + reach}};
}

RepairedGroup compare(const ClassSet& of_class, OpenedSet& set, Session& session, model::Model& repaired,
                      double level) {
  const ClassTarget target = resolve_target(of_class, set.rows(), session.facts);
  if (!target.is_plain())
    fail_argument("repair", fmt::format("--check {} must name one logit, as NAME:INDEX=PATH", of_class.name));
  const Index logit = target.logits.front();
  RepairedGroup group;
  group.name = of_class.name;
  group.logit = logit;
  group.inputs = set.rows();
  Vector changes(set.rows());
  Index at = 0;
  for (Index first = 0; first < set.rows();) {
    const Index count = set.inputs.block(first, std::min(session.batch, set.rows() - first));
    for (const std::vector<Index>& rows : set.inputs.groups(first, count)) {
      const std::vector<model::InputBatch> inputs = read_rows(set, rows);
      const MatrixF old_logits = session.networks->first().logits(inputs)->host();
      const MatrixF new_logits = repaired.logits(inputs)->host();
      check_finite("repair", fmt::format("logits of {}", set.name()), old_logits, first);
      check_finite("repair", fmt::format("logits after the repair of {}", set.name()), new_logits, first);
      for (Index row = 0; row < old_logits.rows(); ++row) {
        Index top_before = 0;
        Index top_after = 0;
        old_logits.row(row).maxCoeff(&top_before);
        new_logits.row(row).maxCoeff(&top_after);
        group.before.hits += top_before == logit ? 1 : 0;
        group.after.hits += top_after == logit ? 1 : 0;
        group.gained += top_before != logit && top_after == logit ? 1 : 0;
        group.lost += top_before == logit && top_after != logit ? 1 : 0;
        changes(at++) = double{new_logits(row, logit)} - double{old_logits(row, logit)};
      }
    }
    first += count;
  }
  group.before = share_of(group.before.hits, group.inputs, level);
  group.after = share_of(group.after.hits, group.inputs, level);
  const auto n = static_cast<double>(group.inputs);
  group.share = {group.after.share - group.before.share,
                 stats::paired_change_interval(static_cast<double>(group.gained),
                                               static_cast<double>(group.lost), n, level)};
  group.mean_logit = mean_change(changes, level);
  return group;
}

struct Sets {
  std::vector<OpenedSet> examples;  // random, then the concepts
  std::vector<OpenedSet> checks;
};

Sets open_sets(const Session& session, const Config& config) {
  Sets sets;
  for (const ClassSet& set : config.classes)
    sets.checks.push_back(open_set(session, {Role::Kind::kCheck, set.name}, set.path, nullptr));
  sets.examples.push_back(open_set(session, Role::Kind::kRandom, config.random, nullptr));
  for (const ExampleSet& set : config.concepts)
    sets.examples.push_back(open_set(session, {Role::Kind::kConcept, set.name}, set.path, nullptr));
  for (const OpenedSet& set : sets.examples)
    check_at_least("repair", "number of examples of " + set.name(), set.rows(), 2);
  return sets;
}

Repaired describe(const Session& session, const Config& config, const Sets& sets) {
  const ProbedLayer& layer = session.layers.front();
  Repaired repaired;
  repaired.options = checked(config.options);
  repaired.model = config.model;
  repaired.layer = layer.name;
  repaired.tensor = layer.what.name;
  repaired.pool = model::pool_text(session.pool);
  repaired.dimension = layer.columns;
  repaired.n_random = sets.examples.front().rows();
  for (std::size_t c = 0; c < config.concepts.size(); ++c) {
    repaired.concepts.push_back(config.concepts[c].name);
    repaired.n_concept.push_back(sets.examples[c + 1].rows());
  }
  return repaired;
}

std::string note_for_file(const Repaired& about) {
  return fmt::format("{} erased from {} (cav {}, pool {}) by atcav {}", fmt::join(about.concepts, " and "),
                     about.tensor, stats::name(about.options.cav.method), about.pool, kVersion);
}

// What is known once everything was read.
void add_notes(Repaired& repaired, const Session& session, const Sets& sets,
               const std::vector<std::string>& ways_past) {
  repaired.inputs.push_back({Role::Kind::kModel, repaired.model, session.facts.hash, {}});
  for (const auto* list : {&sets.examples, &sets.checks}) {
    for (const OpenedSet& set : *list) repaired.inputs.push_back(set.describe());
  }
  repaired.notes = session.facts.notes;
  const ProbedLayer& layer = session.layers.front();
  if (!layer.note.empty()) repaired.notes.push_back(layer.note);
  if (!ways_past.empty()) {
    repaired.notes.push_back(
        fmt::format("part of the network goes round '{}': what input '{}' brings of a concept to the logits "
                    "that way stays",
                    layer.name, fmt::join(ways_past, "' and '")));
  }
  for (std::string& note : notes_about(sets.examples, sets.checks)) repaired.notes.push_back(std::move(note));
  repaired.remarks = session.remarks();
}

}  // namespace

Repaired repair(const Config& config, const std::string& output, const Progress& progress) {
  check_request(config);
  Session session = open_session(config, nullptr);
  check_session(session, config, output);
  Sets sets = open_sets(session, config);
  Repaired repaired = describe(session, config, sets);
  const stats::Eraser eraser = find_eraser(session, sets.examples, repaired.options, progress);
  model::ErasedOnnx erased = model::erase_in_onnx(
      config.model, open_options(config, config.devices.front()),
      {repaired.tensor, session.pool, eraser.directions.cast<float>(), eraser.readers.cast<float>(),
       eraser.offset.cast<float>(), note_for_file(repaired)});
  const Index checks = std::ssize(sets.checks);
  for (Index k = 0; k < checks; ++k) {
    repaired.groups.push_back(
        compare(config.classes[k], sets.checks[k], session, *erased.network, repaired.options.level));
    if (progress) progress("check", k + 1, checks);
  }
  add_notes(repaired, session, sets, erased.ways_past);
  repaired.file = std::move(erased.file);
  return repaired;
}

}  // namespace atcav
