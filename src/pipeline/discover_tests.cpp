#include "pipeline/discover_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "atcav/random.h"
#include "fit/max_t.h"
#include "pass/pass.h"
#include "pipeline/corrections.h"
#include "pipeline/layer_analysis.h"
#include "pipeline/placement.h"
#include "pipeline/plain_words.h"
#include "pipeline/verdict.h"
#include "stats/permuted_directions.h"

namespace atcav {
namespace {

Index column_of(const ClassTarget& target, Index logits) {
  return target.is_plain() ? target.logits.front() : logits;
}

// The mean gradient at the random inputs as they are.
Vector gradient_at(Session& session, std::size_t layer, Base& random) {
  Vector sum = Vector::Zero(session.layers[layer].columns);
  for (const Base::Block& block : random.blocks(layer)) {
    const Rows& rows = random.activations(block, layer);
    const Placement place(rows, session.layers[layer], session.pool, block.mask);
    const Base::Answer answer =
        random.run(block, layer, {MatrixF::Zero(1, 1), MatrixF::Zero(1, rows.columns())}, {0});
    sum += answer.gradients.front()
               .through([&](const Rows& at) {
                 return place.sum_of_gradients(session.networks->first(), at, session.threads);
               })
               .transpose();
  }
  return sum / static_cast<double>(random.inputs());
}

// The odd part at dose 1.
double effect_of_adding(Session& session, std::size_t layer, Index column, const Eigen::VectorXf& direction,
                        Base& random) {
  double sum = 0;
  for (const Base::Block& block : random.blocks(layer)) {
    const Placement place(random.activations(block, layer), session.layers[layer], session.pool, block.mask);
    const MatrixF steps = place.steps(direction);
    const MatrixF up = random.run(block, layer, {MatrixF::Ones(1, 1), steps}, {}).outputs;
    const MatrixF down = random.run(block, layer, {-MatrixF::Ones(1, 1), steps}, {}).outputs;
    sum += (up.col(column).cast<double>() - down.col(column).cast<double>()).sum() / 2;
  }
  return sum / static_cast<double>(random.inputs());
}

Vector step_of(const CandidateRows& candidate, const Eigen::RowVectorXd& random_mean) {
  return (candidate.rows.cast<double>().colwise().mean() - random_mean).transpose();
}

std::string line_words(const Result& result, std::string_view line) {
  const auto found = std::ranges::find(result.verdict.evidence, line, &EvidenceLine::line);
  return found == result.verdict.evidence.end() ? "" : found->text;
}

}  // namespace

void test_candidates(const Session& session, const ClassAtLayer& data, const Options& options,
                     Interventions& interventions, std::vector<CandidateRows>& candidates,
                     fit::LargestT& largest) {
  LayerData layer;
  layer.names.layer = session.layers[data.layer].name;
  layer.names.tensor = session.layers[data.layer].what.name;
  layer.names.classes = {data.of_class};
  std::vector<pass::MatrixSource> sources;
  sources.reserve(candidates.size() + 1);
  sources.emplace_back("random", data.random.cast<float>());
  Index smallest = data.random.rows();
  for (const CandidateRows& one : candidates) {
    layer.names.concepts.push_back(one.about.name);
    sources.emplace_back(one.about.name, one.rows);
    smallest = std::min(smallest, one.rows.rows());
  }
  std::vector<pass::RowSource*> sets;
  sets.reserve(sources.size());
  for (pass::MatrixSource& source : sources) sets.push_back(&source);
  pass::PassOptions how = pass_options(options, smallest);
  how.groups_in_fold = 4;
  layer.gradients = data.gradients;
  layer.pass = pass::run_pass(layer.gradients, sets, how);
  if (!data.groups.empty()) {
    auto groups = std::make_shared<RowGroups>();
    groups->classes = {data.groups};
    layer.groups = groups;
  }
  LayerAnalysis analysis(layer, options, largest);
  std::vector<Result> results = analysis.results([] {});
  interventions.try_out(data.layer, {layer, results, [&](Index test) { return analysis.direction(test); },
                                     [&] { return analysis.steps(); }, analysis.sets()});
  for (std::size_t k = 0; k < candidates.size(); ++k) candidates[k].about.result = std::move(results[k]);
}

Comparisons compare_candidates(Session& session, const ClassAtLayer& data, const ClassTarget& target,
                               Base& random, const std::vector<MatrixF>& clusters, const Options& options,
                               std::vector<CandidateRows>& candidates) {
  const Eigen::RowVectorXd random_mean = data.random.colwise().mean();
  Matrix directions(std::ssize(candidates), random_mean.size());
  for (std::size_t k = 0; k < candidates.size(); ++k)
    directions.row(static_cast<Index>(k)) = step_of(candidates[k], random_mean).transpose();
  Matrix gradients(2, random_mean.size());
  gradients.row(0) = data.gradients.cast<double>().colwise().mean();
  gradients.row(1) = gradient_at(session, data.layer, random).transpose();
  const std::uint64_t key = key_word(session.layers[data.layer].name + "\n" + data.of_class.name);
  const stats::PermutedDirections found = stats::compare_with_permuted(
      directions, gradients, stats::affordable_permutations(directions.rows(), directions.cols()),
      options.seed, key, options.threads);
  Comparisons comparisons;
  const Index column = column_of(target, session.facts.logit_count);
  const auto baseline = [&](const char* kind, const Vector& direction) {
    return Baseline{kind, gradients.row(0).dot(direction),
                    effect_of_adding(session, data.layer, column, direction.cast<float>(), random)};
  };
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const auto row = static_cast<Index>(k);
    candidates[k].about.baseline_p = found.p(row);
    candidates[k].about.cosine = found.cosines(row);
    candidates[k].about.usual_cosine = found.usual;
    Stream stream(options.seed, {kTaskShuffledDirection, key, static_cast<std::uint64_t>(k)});
    const std::vector<Index> order = stream.permutation(directions.cols());
    comparisons.directions.push_back(
        baseline("random direction", Vector(directions.row(row).transpose()(order))));
  }
  for (const MatrixF& rows : clusters) {
    comparisons.clusters.push_back(
        baseline("random images", (rows.cast<double>().colwise().mean() - random_mean).transpose()));
  }
  for (const Baseline& one : comparisons.clusters) {
    for (CandidateRows& candidate : candidates)
      candidate.about.random_images = std::max(candidate.about.random_images, std::abs(one.adding));
  }
  return comparisons;
}

bool beyond_random_images(const Candidate& candidate) {
  const std::optional<Intervention>& added = candidate.result.intervention;
  return added && added->random && std::abs(added->random->odd.back()) > candidate.random_images;
}

void judge_candidates(std::vector<Candidate>& candidates, Index families, const Options& options) {
  for (Candidate& one : candidates) {
    one.baseline_p = std::min(1.0, one.baseline_p * static_cast<double>(families));
    Result& result = one.result;
    result.verdict = judge(result, options.level);
    const bool beyond = one.baseline_p < 1 - options.level;
    one.use = beyond ? result.verdict.use : Use::kNoEvidence;
    if (result.verdict.use != Use::kNoEvidence && !beyond) {
      one.text = fmt::format("{}, but no more than shuffled directions may do ({}).",
                             line_words(result, "adding"), p_words(one.baseline_p));
    } else {
      one.text = result.verdict.text;
    }
    if (one.use != Use::kNoEvidence && !beyond_random_images(one))
      one.text += fmt::format(
          " A cluster of random images does as much (up to {:.2f} logits): it is not these inputs’ own.",
          one.random_images);
  }
}

}  // namespace atcav
