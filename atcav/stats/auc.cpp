#include "atcav/stats/auc.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "atcav/base/check.h"

namespace atcav::stats {

double auc(const VectorRef& random_scores, const VectorRef& concept_scores) {
  check_at_least("auc", "number of random scores", random_scores.size(), 1);
  check_at_least("auc", "number of concept scores", concept_scores.size(), 1);
  check_finite("auc", "random_scores", Matrix(random_scores));
  check_finite("auc", "concept_scores", Matrix(concept_scores));

  std::vector<std::pair<double, bool>> scores;  // value, is it a concept row
  scores.reserve(static_cast<std::size_t>(random_scores.size() + concept_scores.size()));
  for (const double score : random_scores) scores.emplace_back(score, false);
  for (const double score : concept_scores) scores.emplace_back(score, true);
  std::sort(scores.begin(), scores.end());

  double wins = 0;
  double random_below = 0;
  for (std::size_t first = 0; first < scores.size();) {
    double random_tied = 0;
    double concept_tied = 0;
    std::size_t last = first;
    for (; last < scores.size() && scores[last].first == scores[first].first; ++last) {
      (scores[last].second ? concept_tied : random_tied) += 1;
    }
    wins += concept_tied * (random_below + random_tied / 2);
    random_below += random_tied;
    first = last;
  }
  return wins / (static_cast<double>(random_scores.size()) * static_cast<double>(concept_scores.size()));
}

}  // namespace atcav::stats
