#include "atcav/discover.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "atcav/random.h"
#include "atcav/run.h"
#include "core/check.h"
#include "model/image_folder.h"
#include "pass/product.h"
#include "pipeline/candidates.h"
#include "pipeline/check_config.h"
#include "pipeline/corrections.h"
#include "pipeline/discover_sets.h"
#include "pipeline/discover_tests.h"
#include "pipeline/interventions.h"
#include "pipeline/position_maps.h"

namespace atcav {
namespace {

constexpr std::string_view kFinding = "discover";
constexpr Index kLeastInputs = 4;     // of the finding half, that a candidate is seen in
constexpr Index kLeastTriedOut = 16;  // inputs of each base

void check_request(const DiscoverConfig& config) {
  check_config(config.run, /*has_directions=*/false);
  if (config.run.random.empty()) fail_argument(kFinding, "no random examples were given");
  check_at_least(kFinding, "number of classes", std::ssize(config.run.classes), 1);
  check_at_least(kFinding, "number of layers", std::ssize(config.run.layers), 1);
  check_within(kFinding, "number of candidates", config.candidates, 1, 1000);
  check_at_least(kFinding, "number of positions", config.positions, 0);
  check_fraction(kFinding, "merge", config.merge);
  if (config.run.options.cav.method != stats::CavMethod::kPattern)
    fail_argument(kFinding,
                  fmt::format("cav is {}, must be pattern", stats::name(config.run.options.cav.method)));
  if (!config.dictionary.empty() && config.run.layers.size() != 1)
    fail_argument(kFinding, fmt::format("{} layers were given, must be one with --dictionary",
                                        config.run.layers.size()));
}

Index inputs_to_try(const Discovery& all) {
  if (all.config.run.intervene) return *all.config.run.intervene;
  InterventionCost cost;
  for (const HalvedSet& set : all.classes) {
    cost.class_inputs += set.tests.rows();
    cost.examples += set.all->rows();
  }
  cost.examples += all.random->all->rows();
  for (const OpenedSet& set : all.named) cost.examples += set.rows();
  cost.bases = 2 * std::ssize(all.classes);
  cost.directions = all.dictionary ? all.chosen.front().rows.rows() : all.config.candidates;
  for (const ProbedLayer& layer : all.session->layers) cost.depths.push_back(layer.depth);
  return std::max(kLeastTriedOut, tried_inputs(cost));
}

// Clusters of as many random images as found the class's candidates, in the same way.
std::vector<MatrixF> clusters_of_random(const Discovery& all, std::size_t of_class,
                                        const LayerPositions& random, const FindOptions& options) {
  Stream stream(options.seed, {kTaskRandomImages, options.key});
  std::vector<Index> order = stream.permutation(random.inputs());
  order.resize(static_cast<std::size_t>(std::min(all.classes[of_class].finds.rows(), random.inputs())));
  std::ranges::sort(order);
  LayerPositions some;
  some.begins = {0};
  some.of_input = random.of_input;
  std::vector<Index> rows;
  for (const Index input : order) {
    for (Index row = random.begins[input]; row < random.begins[input + 1]; ++row) {
      rows.push_back(row);
      some.positions.push_back(random.positions[row]);
    }
    some.begins.push_back(std::ssize(some.positions));
  }
  some.rows = random.rows(rows, Eigen::all);
  const Vector mean = random.pooled.colwise().mean().transpose();
  const FoundCandidates found =
      all.dictionary ? given_candidates(all.chosen[of_class].rows, random.rows, mean, options.merge)
                     : find_candidates(some.rows, mean, options);
  std::vector<MatrixF> clusters;
  for (const std::vector<Index>& members : found.members(some.rows)) {
    if (inputs_with(some, members) >= kLeastInputs) clusters.push_back(means_by_group(some, members, {}));
  }
  return clusters;
}

// The candidates of a class at a layer, with their examples; those seen in few inputs are left out.
std::vector<CandidateRows> candidates_of(const Discovery& all, std::size_t of_class, std::size_t layer,
                                         const FindOptions& options, Discovered::Family& family) {
  const HalvedSet& set = all.classes[of_class];
  const LayerPositions& finding = all.finding[of_class][layer];
  const LayerPositions& testing = all.testing[of_class][layer];
  const Matrix& random = all.random_finding[layer].pooled;
  const Vector mean = random.colwise().mean().transpose();
  const Vector other_mean = all.random_testing[layer].colwise().mean().transpose();
  const FoundCandidates found =
      all.dictionary
          ? given_candidates(all.chosen[of_class].rows, all.random_finding[layer].rows, mean, options.merge)
          : find_candidates(finding.rows, mean, options);
  const Members here = found.members(finding.rows);
  const Members there = found.members(testing.rows);
  const Groups groups = groups_of(set.groups_of(set.rows.finds));
  std::vector<CandidateRows> candidates;
  for (std::size_t k = 0; k < here.size(); ++k) {
    MatrixF rows = means_by_group(finding, here[k], groups);
    if (rows.rows() < kLeastInputs) {
      ++family.dropped;
      continue;
    }
    CandidateRows& own = candidates.emplace_back();
    const Vector direction = rows.cast<double>().colwise().mean().transpose() - mean;
    own.rows = std::move(rows);
    Candidate& about = own.about;
    about.direction = direction;
    about.name = all.dictionary ? all.chosen[of_class].concepts[found.numbers[k]]
                                : fmt::format("{} {}", set.role.name, candidates.size());
    about.positions = std::ssize(here[k]);
    about.inputs = inputs_with(finding, here[k]);
    about.share = static_cast<double>(here[k].size()) / static_cast<double>(finding.rows.rows());
    about.held_out_inputs = inputs_with(testing, there[k]);
    about.held_out_share = static_cast<double>(there[k].size()) / static_cast<double>(testing.rows.rows());
    if (!there[k].empty()) {
      const MatrixF again = means_by_group(testing, there[k], {});
      about.agreement =
          cosine_between(direction, again.cast<double>().colwise().mean().transpose() - other_mean);
    }
    about.merged = found.merged[k];
    all.named_steps[layer].describe(about, direction);
    about.shown = strongest_patches(testing, there[k], direction, mean);
    for (ShownPatch& patch : about.shown) {
      patch.file = set.tests.inputs.file(patch.input);
      patch.input = set.rows.tests[static_cast<std::size_t>(patch.input)];
    }
    if (const auto layout = position_layout(all.session->layers[layer].what, model::Pool::kNone)) {
      about.height = layout->height;
      about.width = layout->width;
      about.tokens = layout->tokens;
    }
  }
  family.tested = std::ssize(candidates);
  return candidates;
}

ClassAtLayer class_at_layer(const Discovery& all, std::size_t of_class, std::size_t layer) {
  const LayerData& data = all.gradients[layer];
  const HalvedSet& set = all.classes[of_class];
  const Index inputs = data.names.classes[of_class].inputs;
  return {layer, data.names.classes[of_class],
          data.gradients.middleRows(data.names.first_input(of_class), inputs), set.groups_of(set.rows.tests),
          all.random_finding[layer].pooled};
}

void test_class(Discovery& all, std::size_t of_class, fit::LargestT& largest, Discovered& found) {
  Session& session = *all.session;
  HalvedSet& set = all.classes[of_class];
  std::vector<OpenedSet> bases;
  bases.push_back(std::move(set.tests));
  bases.push_back(std::move(all.random->tests));
  const InterventionBases where{bases, all.tried, all.labels, {all.targets[of_class]}};
  Interventions interventions(session, where, {.run = all.options, .eraser = {}});
  Base random(session, where, 1);
  for (std::size_t i = 0; i < session.layers.size(); ++i) {
    Discovered::Family family{session.layers[i].name, set.role.name, 0, 0, {}};
    const ClassAtLayer data = class_at_layer(all, of_class, i);
    const FindOptions options{all.config.finder,
                              all.config.candidates,
                              all.config.merge,
                              all.options.seed,
                              key_word(session.layers[i].name + "\n" + set.role.name),
                              all.options.threads,
                              [&session](const MatrixFRef& rows, const stats::SparseAutoencoder& start) {
                                const auto* there =
                                    dynamic_cast<stats::TrainsAutoencoders*>(&session.networks->first());
                                return there ? there->start_autoencoder(rows, start) : nullptr;
                              }};
    set.tests = std::move(bases.front());
    std::vector<CandidateRows> candidates = candidates_of(all, of_class, i, options, family);
    bases.front() = std::move(set.tests);
    if (!candidates.empty()) {
      test_candidates(session, data, all.options, interventions, candidates, largest);
      const std::vector<MatrixF> clusters = clusters_of_random(all, of_class, all.random_finding[i], options);
      Comparisons beside =
          compare_candidates(session, data, all.targets[of_class], random, clusters, all.options, candidates);
      for (auto* list : {&beside.clusters, &beside.directions})
        std::ranges::move(*list, std::back_inserter(family.baselines));
    }
    for (CandidateRows& one : candidates) found.candidates.push_back(std::move(one.about));
    found.families.push_back(std::move(family));
    if (all.progress)
      all.progress("test", std::ssize(found.families), std::ssize(session.layers) * std::ssize(all.classes));
  }
  set.tests = std::move(bases[0]);
  all.random->tests = std::move(bases[1]);
}

// p-values over all candidates, verdicts, and the order in which they are shown.
void conclude(Discovered& found, const fit::LargestT& largest, const Options& options) {
  std::vector<Result> results;
  for (Candidate& one : found.candidates) results.push_back(std::move(one.result));
  correct_for_multiple_tests(results, largest, options);
  correct_interventions(results);
  for (std::size_t k = 0; k < results.size(); ++k) found.candidates[k].result = std::move(results[k]);
  judge_candidates(found.candidates, std::ssize(found.families), options);
  const auto size = [](const Candidate& one) {
    const std::optional<Intervention>& added = one.result.intervention;
    return std::abs(added && added->random ? added->random->odd.back() : one.result.effect.logits);
  };
  std::ranges::stable_sort(found.candidates, [&](const Candidate& a, const Candidate& b) {
    const bool a_used = a.use != Use::kNoEvidence;
    const bool b_used = b.use != Use::kNoEvidence;
    return a_used != b_used ? a_used : size(a) > size(b);
  });
}

void describe(Discovered& found, Discovery& all) {
  const Session& session = *all.session;
  found.config = all.config;
  found.command = "discover";
  found.options = all.options;
  found.libraries = pass::product_libraries();
  if (const std::size_t space = session.engine.find(' '); space != std::string::npos)
    found.libraries[session.engine.substr(0, space)] = session.engine.substr(space + 1);
  found.inputs.push_back({Role::Kind::kModel, all.config.run.model, session.facts.hash, {}});
  found.inputs.push_back(all.random->describe());
  for (const OpenedSet& set : all.named) found.inputs.push_back(set.describe());
  for (const HalvedSet& set : all.classes) found.inputs.push_back(set.describe());
  found.notes = session.facts.notes;
  for (const ProbedLayer& layer : session.layers)
    if (!layer.note.empty()) found.notes.push_back(layer.note);
  for (std::size_t k = 0; k < all.chosen.size(); ++k) {
    if (all.chosen[k].rows.rows() < all.dictionary->rows.rows())
      found.notes.push_back(fmt::format(
          "{} of {} directions of the dictionary are tested for {}: those along which its logit changes most "
          "at the finding half",
          all.chosen[k].rows.rows(), all.dictionary->rows.rows(), all.classes[k].role.name));
  }
  for (const Discovered::Family& family : found.families) {
    if (family.dropped > 0)
      found.notes.push_back(
          fmt::format("{}: {} candidates of {} are in fewer than {} inputs of the finding half and "
                      "were left out",
                      family.layer, family.dropped, family.class_name, kLeastInputs));
  }
  for (std::size_t i = 0; i < all.named_steps.size(); ++i) {
    for (const std::string& one : all.named_steps[i].noise)
      found.notes.push_back(
          fmt::format("{}: '{}' is not told from random images well enough to be compared with",
                      session.layers[i].name, one));
  }
  for (const HalvedSet& set : all.classes) {
    if (set.all->file(0).empty() || set.all->file(0).ends_with(".npy")) continue;
    found.view = {session.reading.preprocess,
                  model::image_format(session.facts.inputs.front(), session.reading.shape)};
    for (std::size_t i = 0; i < set.rows.tests.size(); ++i)
      found.file_hashes[set.tests.inputs.file(static_cast<Index>(i))] = set.tests.hashes[i];
  }
  found.remarks = session.remarks();
  found.examples_run = session.examples_run;
  found.seconds = all.watch.seconds();
}

}  // namespace

std::string_view name(Finder finder) {
  constexpr std::array<std::string_view, 3> kNames = {"kmeans", "nmf", "sae"};
  return kNames[static_cast<std::size_t>(finder)];
}

Finder read_finder(const std::string& text) {
  for (const Finder finder : {Finder::kKMeans, Finder::kNmf, Finder::kSae})
    if (name(finder) == text) return finder;
  fail_argument(kFinding, fmt::format("finder is '{}', must be kmeans, nmf or sae", text));
}

Discovered discover(const DiscoverConfig& config, const Progress& progress,
                    std::shared_ptr<model::Model> network) {
  check_request(config);
  Discovery all{
      config, progress, checked(config.run.options), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
      0,      {}};
  Config run = config.run;
  run.pool = model::Pool::kMean;
  all.session = std::make_shared<Session>(open_session(run, std::move(network)));
  if (!config.dictionary.empty())
    all.dictionary = read_dictionary(config.dictionary, all.session->layers.front());
  open_sets(all);
  all.watch.lap("open");
  read_gradients(all);
  all.watch.lap("gradients");
  read_activations(all);
  all.watch.lap("activations");
  all.tried = inputs_to_try(all);
  Discovered found;
  fit::LargestT largest;
  for (std::size_t k = 0; k < all.classes.size(); ++k) test_class(all, k, largest, found);
  conclude(found, largest, all.options);
  all.watch.lap("test");
  describe(found, all);
  return found;
}

}  // namespace atcav
