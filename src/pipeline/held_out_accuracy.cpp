#include "pipeline/held_out_accuracy.h"

#include <algorithm>

#include "atcav/accuracy.h"

namespace atcav {
namespace {

Vector outside(const pass::SetScores& set, Index fold) {
  std::vector<double> values;
  for (Index i = 0; i < set.scores.size(); ++i)
    if (set.folds[i] != fold) values.push_back(set.scores(i));
  return Eigen::Map<const Vector>(values.data(), std::ssize(values));
}

}  // namespace

RightRows right_rows(const pass::HeldOutScores& scores) {
  RightRows right;
  const Index folds = 1 + *std::ranges::max_element(scores.random.folds);
  std::vector<double> thresholds;
  for (Index fold = 0; fold < folds; ++fold) {
    thresholds.push_back(
        stats::measure_separation(outside(scores.random, fold), outside(scores.concept_rows, fold), 0)
            .best.value);
  }
  const auto above = [&](const pass::SetScores& set, Index row) {
    return set.scores(row) > thresholds[static_cast<std::size_t>(set.folds[static_cast<std::size_t>(row)])];
  };
  for (Index i = 0; i < scores.random.scores.size(); ++i) right.random.push_back(!above(scores.random, i));
  for (Index i = 0; i < scores.concept_rows.scores.size(); ++i)
    right.concept_rows.push_back(above(scores.concept_rows, i));
  return right;
}

Accuracy held_out_accuracy(const pass::HeldOutScores& scores, double level) {
  const stats::Separation all =
      stats::measure_separation(scores.random.scores, scores.concept_rows.scores, 0);
  Accuracy accuracy;
  accuracy.auc = all.auc;
  accuracy.auc_interval = stats::auc_interval(scores.random.scores, scores.concept_rows.scores, level);
  accuracy.predicted = all.predicted_accuracy;
  accuracy.threshold = all.best.value;
  accuracy.random = all.random;
  accuracy.of_concept = all.of_concept;
  accuracy.random_scores.assign(scores.random.scores.begin(), scores.random.scores.end());
  accuracy.concept_scores.assign(scores.concept_rows.scores.begin(), scores.concept_rows.scores.end());
  const RightRows right = right_rows(scores);
  const auto right_random = static_cast<double>(std::ranges::count(right.random, true));
  const auto right_concept = static_cast<double>(std::ranges::count(right.concept_rows, true));
  const auto n_random = static_cast<double>(scores.random.scores.size());
  const auto n_concept = static_cast<double>(scores.concept_rows.scores.size());
  accuracy.held_out = (right_random / n_random + right_concept / n_concept) / 2;
  accuracy.interval = stats::mean_share_interval(right_random, n_random, right_concept, n_concept, level);
  return accuracy;
}

}  // namespace atcav
