#include "pipeline/evidence.h"

#include <fmt/format.h>

#include "atcav/random.h"
#include "fit/mean_gradient.h"
#include "fit/permutation.h"
#include "pipeline/grouped_effect.h"
#include "pipeline/logit_difference.h"

namespace atcav {
namespace {

// Inputs of the group that are the class's.
void take_shared(Evidence& evidence, const SharedTest& shared, Index first, Index count) {
  evidence.refitter = std::make_shared<fit::InputsRefitter>(shared.means, first - shared.first, count);
  evidence.mean_sensitivities = evidence.refitter->full();
  if (shared.relabelled.size() > 0) {
    evidence.relabelled = shared.relabelled.middleCols(first - shared.first, count);
    evidence.draws.labels = &shared.labels;
  }
}

// Inputs of the class.
pass::Projections rows_of(const LayerData& data, Index set, std::size_t of_class, const Options& options) {
  return data.pass->sets[set].projections.inputs(data.names.first_input(of_class),
                                                 data.names.classes[of_class].inputs, options.threads);
}

void add_mean_difference(Evidence& evidence, const std::shared_ptr<const fit::SharedRows>& random,
                         pass::Projections concept_rows, const Options& options) {
  const pass::Projections& random_rows = random->projections();
  const bool fast = options.cav.method == stats::CavMethod::kFast;
  if (options.moments_only) {
    evidence.random_moments = random;
    evidence.concept_moments = std::make_shared<pass::Projections>(concept_rows);
  }
  if (!evidence.refitter) {
    evidence.means = std::make_shared<fit::MeanRefitter>(random_rows, concept_rows, fast, options.threads);
    evidence.mean_sensitivities = evidence.means->full();
    evidence.refitter = evidence.means;
  }
  if (options.pairs)
    evidence.noise =
        std::make_shared<fit::PairedNoise>(random_rows, concept_rows, fast, evidence.mean_sensitivities);
  else
    evidence.noise = std::make_shared<fit::ClosedFormNoise>(random, std::move(concept_rows), fast,
                                                            evidence.mean_sensitivities);
  evidence.mean_errors = evidence.noise->input_errors();
}

std::vector<std::string> groups_of_set(const LayerData& data, Index set) {
  if (!data.groups || data.groups->sets.empty()) return {};
  return data.groups->sets[static_cast<std::size_t>(set)];
}

void add_grouped(Evidence& evidence, const LayerData& data, const Test& test, std::size_t of_class,
                 const pass::Projections& random_rows, const pass::Projections& concept_rows, double level) {
  const auto& classes = data.groups->classes;
  const Groups inputs = classes.empty() ? Groups{} : groups_of(classes[of_class]);
  const std::vector<std::string> random = groups_of_set(data, test.random_set);
  const std::vector<std::string> concept_groups = groups_of_set(data, test.concept_set);
  if (random.empty() && inputs.empty()) return;
  evidence.grouped =
      effect_of_sets(random_rows, concept_rows, random, concept_groups, inputs, test.name, level);
  std::vector<std::string> all = random;
  all.insert(all.end(), concept_groups.begin(), concept_groups.end());
  if (!all.empty()) {
    evidence.groups.examples = groups_of(all).count;
    evidence.random_groups = groups_of(random);
  }
  if (!inputs.empty()) evidence.groups.inputs = inputs.count;
  evidence.input_groups = inputs;
}

}  // namespace

std::vector<Test> tests_of(const LayerNames& names) {
  std::vector<Test> tests;
  for (std::size_t i = 0; i < names.concepts.size(); ++i)
    tests.push_back({names.concepts[i], static_cast<Index>(i) + 1, 0});
  for (const auto& [first, second] : names.relative) {
    tests.push_back(
        {fmt::format("{} vs {}", names.concepts[first], names.concepts[second]), first + 1, second + 1});
  }
  return tests;
}

double step_of_means(const pass::Pass& pass, const Test& test, const Options& options) {
  if (options.cav.method != stats::CavMethod::kFast) return 1;
  const auto count = [&](Index set) { return static_cast<double>(pass.sets[set].projections.count()); };
  return 1 + count(test.concept_set) / count(test.random_set);
}

SharedTest share_test(const LayerData& data, const Test& test, Index first, Index count,
                      const Options& options) {
  const pass::Projections& random = data.pass->sets[test.random_set].projections;
  const pass::Projections& concept_rows = data.pass->sets[test.concept_set].projections;
  const auto means = std::make_shared<fit::MeanRefitter>(
      random, concept_rows, first, count, options.cav.method == stats::CavMethod::kFast, options.threads);
  SharedTest shared{first, std::make_shared<fit::SharedRefits>(means), {}, {}};
  if (options.moments_only) return shared;
  shared.labels = fit::deal_rows(means->all_rows(), means->concept_rows(), options.permutations,
                                 {options.seed, key_word(test.name), options.threads, options.pairs});
  shared.relabelled = means->relabelled(
      options.permutations, [&](Index k) -> const fit::RowNumbers& { return shared.labels[k]; },
      options.threads);
  return shared;
}

RandomSide random_side(const LayerData& data, Index random_set, std::size_t of_class,
                       const Options& options) {
  RandomSide side{std::make_shared<fit::SharedRows>(rows_of(data, random_set, of_class, options)), {}, {}};
  const pass::Projections& rows = side.rows->projections();
  side.along = rows.values.colwise().mean();
  side.spread = fit::random_spread(rows);
  return side;
}

Evidence mean_evidence(const LayerData& data, const Test& test, std::size_t of_class, const Options& options,
                       const SharedTest* shared, const RandomSide* random) {
  Evidence evidence;
  if (shared != nullptr) {
    take_shared(evidence, *shared, data.names.first_input(of_class), data.names.classes[of_class].inputs);
  }
  evidence.concept_name = test.name;
  evidence.step = step_of_means(*data.pass, test, options);
  evidence.zero_gradients = data.zero_gradients(of_class);
  const RandomSide against =
      random != nullptr ? *random : random_side(data, test.random_set, of_class, options);
  const pass::Projections& random_rows = against.rows->projections();
  pass::Projections concept_rows = rows_of(data, test.concept_set, of_class, options);
  evidence.n_random = random_rows.count();
  evidence.n_concept = concept_rows.count();
  evidence.spread = options.pairs ? fit::paired_spread(random_rows, concept_rows) : against.spread;
  evidence.spread_of_concept = fit::random_spread(concept_rows);
  if (stats::is_mean_difference(options.cav.method) && !options.moments_only) {
    evidence.random_along = against.along;
    evidence.concept_along = concept_rows.values.colwise().mean();
    if (test.random_set == 0 && data.strata) evidence.strata = *data.strata;
    evidence.dealt = dealt_sets(evidence.random_along, evidence.concept_along,
                                groups_of_set(data, test.random_set), groups_of_set(data, test.concept_set));
  }
  if (data.logits) {
    const Vector logits = (*data.logits)[test.random_set].col(static_cast<Index>(of_class));
    if (!logits.hasNaN())
      evidence.spread_of_logit = spread_of_logit(logits, options.moments_only ? Vector() : against.along);
  }
  if (data.groups) add_grouped(evidence, data, test, of_class, random_rows, concept_rows, options.level);
  add_mean_difference(evidence, against.rows, std::move(concept_rows), options);
  return evidence;
}

}  // namespace atcav
