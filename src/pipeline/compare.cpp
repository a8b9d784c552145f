#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "atcav/influences.h"
#include "atcav/interval.h"
#include "core/check.h"
#include "pipeline/influences.h"
#include "pipeline/label_tables.h"
#include "stats/paired_effect.h"

namespace atcav {
namespace {

constexpr const char* kCompare = "compare";

// The rows of two sets that are the same example.
struct Matched {
  std::vector<Index> first, second;
};

class RowMatcher {
 public:
  explicit RowMatcher(std::vector<std::string>& notes) : notes_(notes) {}

  Matched match(const std::string& role, const std::vector<std::string>& first, Index first_rows,
                const std::vector<std::string>& second, Index second_rows) {
    const auto known = [](const std::vector<std::string>& hashes, Index rows) {
      return std::ssize(hashes) == rows && std::ranges::none_of(hashes, &std::string::empty);
    };
    if (!known(first, first_rows) || !known(second, second_rows))
      return by_number(role, first_rows, second_rows);
    std::multimap<std::string, Index> places;
    for (Index i = 0; i < second_rows; ++i) places.emplace(second[i], i);
    Matched found;
    for (Index i = 0; i < first_rows; ++i) {
      const auto place = places.find(first[i]);
      if (place == places.end()) continue;
      found.first.push_back(i);
      found.second.push_back(place->second);
      places.erase(place);
    }
    const Index both = std::ssize(found.first);
    if (both < first_rows || both < second_rows) {
      notes_.push_back(
          fmt::format("{} of the {} and {} rows of {} are in both runs; the others were left out", both,
                      first_rows, second_rows, role));
    }
    return found;
  }

 private:
  Matched by_number(const std::string& role, Index first_rows, Index second_rows) {
    if (first_rows != second_rows) {
      fail_argument(kCompare,
                    fmt::format("{} has {} rows in the first run and {} in the second, and no hashes "
                                "tell which are the same",
                                role, first_rows, second_rows));
    }
    if (!said_) notes_.emplace_back("rows of arrays are taken to be the same examples in the same order");
    said_ = true;
    Matched found;
    found.first.resize(static_cast<std::size_t>(first_rows));
    std::iota(found.first.begin(), found.first.end(), 0);
    found.second = found.first;
    return found;
  }

  std::vector<std::string>& notes_;
  bool said_ = false;
};

const std::vector<std::string>& at_or_none(const std::vector<std::vector<std::string>>& lists,
                                           std::size_t at) {
  static const std::vector<std::string> none;
  return at < lists.size() ? lists[at] : none;
}

std::vector<std::string> picked(const std::vector<std::string>& names, const std::vector<Index>& rows) {
  std::vector<std::string> found;
  if (names.empty()) return found;
  for (const Index row : rows) found.push_back(names[row]);
  return found;
}

std::string verdict_of(const RunResult& run, const Difference& difference, const std::string& layer) {
  for (const Result& one : run.results) {
    if (one.concept_name != difference.concept_name || one.class_name != difference.class_name ||
        one.layer != layer || one.label.has_value() != difference.label)
      continue;
    if (difference.joint && one.joint)
      return one.joint->bonferroni < 1 - run.options.level ? "used" : "no evidence";
    switch (one.verdict.use) {
      case Use::kFor:
        return "used";
      case Use::kAgainst:
        return "counted against";
      case Use::kNoEvidence:
        return one.examples && one.examples->equivalence.verdict == UseVerdict::kNotBeyond
                   ? "not used beyond the bound"
                   : "no evidence";
    }
  }
  return "";
}

// Of both runs one layer, with matched rows.
class LayerPair {
 public:
  LayerPair(const RunResult& first, const RunResult& second, std::size_t first_layer,
            std::size_t second_layer, Comparison& found, RowMatcher& matcher)
      : first_run_(first),
        second_run_(second),
        a_(*first.influences),
        b_(*second.influences),
        first_(a_.layers[first_layer]),
        second_(b_.layers[second_layer]),
        found_(found),
        matcher_(matcher) {}

  void compare() {
    Index first_input = 0;
    for (std::size_t k = 0; k < a_.classes.size(); ++k) {
      const Influences::Class& one = a_.classes[k];
      Index second_input = 0;
      std::size_t other = 0;
      for (; other < b_.classes.size() && b_.classes[other].name != one.name; ++other)
        second_input += b_.classes[other].inputs;
      if (other < b_.classes.size()) {
        inputs_ = matcher_.match(fmt::format("class '{}'", one.name), at_or_none(a_.hashes.classes, k),
                                 one.inputs, at_or_none(b_.hashes.classes, other), b_.classes[other].inputs);
        for (Index& row : inputs_.first) row += first_input;
        for (Index& row : inputs_.second) row += second_input;
        input_groups_ = {};
        if (const auto& names = at_or_none(a_.groups.classes, k); !names.empty()) {
          std::vector<Index> own = inputs_.first;
          for (Index& row : own) row -= first_input;
          input_groups_ = groups_of(picked(names, own));
        }
        if (inputs_.first.empty())
          found_.notes.push_back(fmt::format("no input of '{}' is in both runs", one.name));
        else
          compare_class(one.name);
      }
      first_input += one.inputs;
    }
  }

 private:
  void compare_class(const std::string& class_name) {
    if (!first_.sets.empty() && !second_.sets.empty()) {
      for (std::size_t c = 0; c < a_.concepts.size(); ++c) {
        const auto other = std::ranges::find(b_.concepts, a_.concepts[c]);
        if (other != b_.concepts.end())
          compare_sets(class_name, a_.concepts[c], {c + 1, 0},
                       {static_cast<std::size_t>(other - b_.concepts.begin()) + 1, 0});
      }
      for (const auto& [concept_place, random_place] : a_.relative) {
        const auto find = [&](Index place) {
          return std::ranges::find(b_.concepts, a_.concepts[place]) - b_.concepts.begin();
        };
        const auto one = static_cast<std::size_t>(find(concept_place));
        const auto two = static_cast<std::size_t>(find(random_place));
        if (one >= b_.concepts.size() || two >= b_.concepts.size()) continue;
        compare_sets(
            class_name, fmt::format("{} vs {}", a_.concepts[concept_place], a_.concepts[random_place]),
            {static_cast<std::size_t>(concept_place) + 1, static_cast<std::size_t>(random_place) + 1},
            {one + 1, two + 1});
      }
    }
    if (first_.pool.size() > 0 && second_.pool.size() > 0) compare_labels(class_name);
  }

  Matched matched_set(std::size_t first, std::size_t second) {
    const std::string role = first == 0 ? "random" : fmt::format("concept '{}'", a_.concepts[first - 1]);
    const auto key = std::pair(first, second);
    const auto known = sets_.find(key);
    if (known != sets_.end()) return known->second;
    return sets_[key] = matcher_.match(role, at_or_none(a_.hashes.sets, first), first_.sets[first].cols(),
                                       at_or_none(b_.hashes.sets, second), second_.sets[second].cols());
  }

  // Responses of the class's inputs.
  Matrix grouped(const Matrix& responses) const {
    return input_groups_.empty() ? responses : stats::grouped_inputs(responses, input_groups_);
  }

  using SetPair = std::pair<std::size_t, std::size_t>;  // concept and random
  void compare_sets(const std::string& class_name, const std::string& name, SetPair first, SetPair second) {
    const Matched of_concept = matched_set(first.first, second.first);
    const Matched random = matched_set(first.second, second.second);
    if (of_concept.first.size() < 2 || random.first.size() < 2) {
      found_.notes.push_back(
          fmt::format("fewer than two rows of '{}' or of its random set are in both runs", name));
      return;
    }
    const auto side = [&](const LayerResponses& layer, SetPair sets, const std::vector<Index>& inputs,
                          const std::vector<Index>& random_rows, const std::vector<Index>& concept_rows) {
      Matrix responses(std::ssize(inputs), std::ssize(random_rows) + std::ssize(concept_rows));
      responses << layer.sets[sets.second](inputs, random_rows), layer.sets[sets.first](inputs, concept_rows);
      return grouped(responses);
    };
    const Matrix a = side(first_, first, inputs_.first, random.first, of_concept.first);
    const Matrix b = side(second_, second, inputs_.second, random.second, of_concept.second);
    const auto n = std::ssize(random.first);
    Matrix label = Matrix::Zero(a.cols(), 1);
    label.bottomRows(a.cols() - n).setOnes();
    std::vector<Index> reference(static_cast<std::size_t>(n));
    std::iota(reference.begin(), reference.end(), 0);
    std::vector<std::string> names = picked(at_or_none(a_.groups.sets, first.second), random.first);
    const std::vector<std::string> more = picked(at_or_none(a_.groups.sets, first.first), of_concept.first);
    names.insert(names.end(), more.begin(), more.end());
    const Groups groups = names.empty() ? Groups{} : groups_of(names);
    const stats::LabelDesign design = stats::design_labels(label, {name}, groups, 1);
    add(name, class_name, false, false,
        stats::paired_effect(design, 0, a, b, reference, groups, found_.level));
  }

  void compare_labels(const std::string& class_name) {
    const Matched rows =
        matcher_.match("the pool", a_.hashes.pool, first_.pool.cols(), b_.hashes.pool, second_.pool.cols());
    std::vector<Index> columns;
    for (std::size_t c = 0; c < a_.columns.size(); ++c) {
      const auto other = std::ranges::find(b_.columns, a_.columns[c]) - b_.columns.begin();
      if (other == std::ssize(b_.columns)) continue;
      const auto same = [&](std::size_t r) {
        const double one = a_.labels(rows.first[r], static_cast<Index>(c));
        const double two = b_.labels(rows.second[r], other);
        return one == two || (std::isnan(one) && std::isnan(two));
      };
      bool all = true;
      for (std::size_t r = 0; r < rows.first.size(); ++r) all = all && same(r);
      if (!all) {
        fail_argument(
            kCompare,
            fmt::format("the runs have different values of the label '{}' for the same rows", a_.columns[c]));
      }
      columns.push_back(static_cast<Index>(c));
    }
    const Matrix a = grouped(first_.pool(inputs_.first, rows.first));
    const Matrix b = grouped(second_.pool(inputs_.second, rows.second));
    const Matrix labels = a_.labels(rows.first, columns);
    std::vector<std::string> names;
    names.reserve(columns.size());
    for (const Index column : columns) names.push_back(a_.columns[column]);
    const std::vector<std::string> groups = picked(a_.groups.pool, rows.first);
    for (Index c = 0; c < labels.cols(); ++c) {
      const LabelRows alone(labels, {c});
      add_label(class_name, names[c], false, alone, 0, {names[c]}, a, b, groups);
    }
    if (labels.cols() < 2) return;
    std::vector<Index> all(static_cast<std::size_t>(labels.cols()));
    std::iota(all.begin(), all.end(), 0);
    const LabelRows complete(labels, all);
    if (std::ssize(complete.rows) < labels.cols() + 2) return;
    for (Index c = 0; c < labels.cols(); ++c)
      add_label(class_name, names[c], true, complete, c, names, a, b, groups);
  }

  void add_label(const std::string& class_name, const std::string& name, bool joint, const LabelRows& table,
                 Index label, const std::vector<std::string>& names, const Matrix& a, const Matrix& b,
                 const std::vector<std::string>& group_names) {
    const Groups groups = group_names.empty() ? Groups{} : groups_of(picked(group_names, table.rows));
    const stats::LabelDesign design = stats::design_labels(table.values, names, groups, 1);
    add(name, class_name, true, joint,
        stats::paired_effect(design, label, a(Eigen::all, table.rows), b(Eigen::all, table.rows),
                             table.reference(label), groups, found_.level));
  }

  void add(const std::string& name, const std::string& class_name, bool label, bool joint,
           const stats::PairedEffect& paired) {
    Difference difference;
    difference.concept_name = name;
    difference.class_name = class_name;
    difference.layer = first_.layer;
    difference.second_layer = second_.layer;
    difference.label = label;
    difference.joint = joint;
    difference.first = paired.first;
    difference.second = paired.second;
    difference.first_d = paired.first_d;
    difference.second_d = paired.second_d;
    difference.logits = paired.logits;
    difference.d = paired.d;
    difference.first_verdict = verdict_of(first_run_, difference, first_.layer);
    difference.second_verdict = verdict_of(second_run_, difference, second_.layer);
    difference.verdict_changed = difference.first_verdict != difference.second_verdict;
    found_.differences.push_back(std::move(difference));
  }

  const RunResult& first_run_;
  const RunResult& second_run_;
  const Influences& a_;
  const Influences& b_;
  const LayerResponses& first_;
  const LayerResponses& second_;
  Comparison& found_;
  RowMatcher& matcher_;
  Matched inputs_;
  Groups input_groups_;
  std::map<SetPair, Matched> sets_;
};

std::vector<std::pair<std::size_t, std::size_t>> layer_pairs(const Influences& a, const Influences& b) {
  if (a.layers.size() == 1 && b.layers.size() == 1) return {{0, 0}};
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    for (std::size_t j = 0; j < b.layers.size(); ++j) {
      if (a.layers[i].layer == b.layers[j].layer) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

void correct_differences(Comparison& found) {
  std::vector<double> p;
  for (const Difference& one : found.differences) p.push_back(one.logits.p);
  const std::vector<double> bonferroni = stats::bonferroni(p);
  const std::vector<double> hochberg = stats::benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    found.differences[i].bonferroni = bonferroni[i];
    found.differences[i].benjamini_hochberg = hochberg[i];
  }
}

// Each note once: rows are matched for every layer.
void say_once(std::vector<std::string>& notes) {
  std::vector<std::string> once;
  for (std::string& note : notes) {
    if (std::ranges::find(once, note) == once.end()) once.push_back(std::move(note));
  }
  notes = std::move(once);
}

}  // namespace

Index Comparison::changed() const {
  return std::ranges::count_if(differences, [this](const Difference& one) {
    return one.verdict_changed || one.bonferroni < 1 - level;
  });
}

Comparison compare(const RunResult& first, const RunResult& second, const std::string& first_name,
                   const std::string& second_name) {
  for (const auto& [run, name] : {std::pair(&first, &first_name), std::pair(&second, &second_name)}) {
    if (!run->influences)
      fail_argument(kCompare, fmt::format("{} kept no influences: make it with --influences", *name));
  }
  Comparison found{first_name, second_name, first.options.level, {}, {}};
  RowMatcher matcher(found.notes);
  for (const auto& [i, j] : layer_pairs(*first.influences, *second.influences))
    LayerPair(first, second, i, j, found, matcher).compare();
  if (found.differences.empty())
    fail_argument(kCompare, fmt::format("{} and {} have no layer, class and concept in common", first_name,
                                        second_name));
  correct_differences(found);
  say_once(found.notes);
  return found;
}

}  // namespace atcav
