#include "pipeline/held_out_accuracy.h"

#include <algorithm>
#include <utility>

#include "atcav/accuracy.h"

namespace atcav {
namespace {

// The scores inside fold `fold`, and those outside it.
std::pair<Vector, Vector> divide(const pass::SetScores& set, Index fold) {
  std::vector<double> inside;
  std::vector<double> outside;
  for (Index i = 0; i < set.scores.size(); ++i) {
    (set.folds[i] == fold ? inside : outside).push_back(set.scores(i));
  }
  const auto as_vector = [](const std::vector<double>& values) -> Vector {
    return Eigen::Map<const Vector>(values.data(), std::ssize(values));
  };
  return {as_vector(inside), as_vector(outside)};
}

}  // namespace

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
  const Index folds = 1 + *std::ranges::max_element(scores.random.folds);
  double right_random = 0;
  double right_concept = 0;
  for (Index fold = 0; fold < folds; ++fold) {
    const auto [random, other_random] = divide(scores.random, fold);
    const auto [positive, other_concept] = divide(scores.concept_rows, fold);
    const double threshold = stats::measure_separation(other_random, other_concept, 0).best.value;
    right_random += static_cast<double>((random.array() <= threshold).count());
    right_concept += static_cast<double>((positive.array() > threshold).count());
  }
  const auto n_random = static_cast<double>(scores.random.scores.size());
  const auto n_concept = static_cast<double>(scores.concept_rows.scores.size());
  accuracy.held_out = (right_random / n_random + right_concept / n_concept) / 2;
  accuracy.interval = stats::mean_share_interval(right_random, n_random, right_concept, n_concept, level);
  return accuracy;
}

}  // namespace atcav
