#include "report/thumbnail.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "report/findings.h"

namespace atcav::report {

std::set<std::size_t> detailed_results(const std::vector<Result>& results) {
  std::vector<std::size_t> order(results.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > kDetailed) {
    const auto rank = [&](std::size_t i) {
      return std::pair(holds_zero(results[i]), -std::abs(results[i].signed_size()));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    order.resize(kDetailed);
  }
  return {order.begin(), order.end()};
}

std::set<Index> shown_inputs(const std::vector<Result>& results, const std::string& class_name) {
  std::set<Index> shown;
  for (const std::size_t r : detailed_results(results)) {
    if (results[r].class_name != class_name) continue;
    const Extremes ends = extremes_of(results[r].sensitivities);
    shown.insert(ends.most.begin(), ends.most.end());
    shown.insert(ends.least.begin(), ends.least.end());
  }
  return shown;
}

std::vector<Index> on_wrong_side(const Result& result) {
  if (!result.examples) return {};
  const Accuracy& accuracy = result.examples->accuracy;
  std::vector<std::pair<double, Index>> found;
  for (std::size_t i = 0; i < accuracy.concept_rows.size(); ++i) {
    if (accuracy.concept_scores[i] <= accuracy.threshold)
      found.emplace_back(accuracy.concept_scores[i], accuracy.concept_rows[i]);
  }
  std::ranges::sort(found);
  std::vector<Index> rows;
  rows.reserve(found.size());
  for (const auto& [score, row] : found) rows.push_back(row);
  return rows;
}

std::set<Index> shown_examples(const std::vector<Result>& results, const std::string& concept_name,
                               Index examples) {
  std::set<Index> shown;
  for (Index i = 0; i < std::min(kExamples, examples); ++i) shown.insert(i);
  for (const std::size_t r : detailed_results(results)) {
    if (results[r].concept_name != concept_name) continue;
    const std::vector<Index> wrong = on_wrong_side(results[r]);
    shown.insert(wrong.begin(), wrong.begin() + std::min<Index>(kExamples, std::ssize(wrong)));
  }
  return shown;
}

}  // namespace atcav::report
