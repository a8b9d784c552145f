#include "pipeline/score_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "pipeline/grouped_effect.h"
#include "pipeline/label_tables.h"
#include "pipeline/score_label.h"
#include "stats/joint_effect.h"
#include "stats/label_encoding.h"
#include "stats/negatives.h"

namespace atcav {
namespace {

constexpr double kInflated = 10;

class PoolAnalysis {
 public:
  PoolAnalysis(const LayerData& data, const Options& options)
      : data_(data), options_(options), values_(data.labels->values.transpose()) {
    Index first = 0;
    for (std::size_t k = 0; k < data.names.classes.size(); ++k) {
      const Index inputs = data.names.classes[k].inputs;
      classes_.push_back(open_class(first, inputs, k));
      first += inputs;
    }
    for (const auto& values : values_.rowwise()) facts_.push_back(facts_of(values.transpose()));
    if (labels() > 1)
      prepare_joint();
    else
      add_encodings(LabelRows(data.labels->values, {0}));
  }

  Index labels() const { return std::ssize(facts_); }

  // Results of the label, by class.
  std::vector<Result> results(Index label) const {
    const Vector values = values_.row(label);
    const std::string& name = data_.labels->columns[label];
    const LabelRows table(values, {0});
    const Groups groups = groups_at(group_names(), table.rows);
    const Alone alone{label, table.rows, table.reference(0), groups,
                      stats::design_labels(table.values, {name}, groups, 1)};
    if (alone.design.decided_by_one.front()) {
      fail_argument("labels", fmt::format("'{}' is far from all others in one row, which alone decides its "
                                          "effect",
                                          name));
    }
    LabelEvidence evidence;
    evidence.label = name;
    evidence.facts = facts_[label];
    evidence.with = std::ssize(table.rows);
    if (!facts_[label].numbers) {
      check_sides(table.values.col(0), groups, name);
      evidence.with = (values.array() == 1).count();
      evidence.without = (values.array() == 0).count();
    }
    const Matrix draws = label_draws(name, most_inputs(), options_.seed);
    evidence.draws = &draws;
    std::vector<Result> found;
    for (const Class& of_class : classes_) found.push_back(result(alone, of_class, evidence));
    return found;
  }

 private:
  struct Class {
    const stats::LabelResponses& inputs() const { return grouped ? *grouped : responses; }

    stats::LabelResponses responses;               // to all rows of the pool
    std::optional<stats::LabelResponses> grouped;  // of groups of inputs, where there are some
    Index zero_gradients = 0;
    std::optional<stats::LabelResiduals> joint;  // of inputs(), over the rows with all labels
  };

  // A label by itself, over the rows that have it.
  struct Alone {
    Index label;
    const std::vector<Index>& rows;
    std::vector<Index> reference;
    const Groups& groups;
    stats::LabelDesign design;
  };

  // The responses to some rows: a copy, unless they are all.
  class Part {
   public:
    Part(const stats::LabelResponses& all, const std::vector<Index>& rows) : all_(all) {
      if (std::ssize(rows) < all.values.cols()) own_.emplace(all.values(Eigen::all, rows));
    }
    const stats::LabelResponses& operator*() const { return own_ ? *own_ : all_; }
    const stats::LabelResponses* operator->() const { return &**this; }

   private:
    const stats::LabelResponses& all_;
    std::optional<stats::LabelResponses> own_;
  };

  Result result(const Alone& alone, const Class& of_class, LabelEvidence evidence) const {
    const stats::LabelDesign& design = alone.design;
    const Part own(of_class.responses, alone.rows);
    stats::LabelResiduals residuals = stats::label_residuals(design, own->values);
    evidence.zero_gradients = of_class.zero_gradients;
    evidence.sensitivities = own->values * design.weights.row(0).transpose();
    evidence.covariance = stats::label_covariance(design, 0, residuals, alone.groups);
    std::optional<Part> grouped;
    if (of_class.grouped) {
      grouped.emplace(*of_class.grouped, alone.rows);
      residuals = stats::label_residuals(design, (*grouped)->values);
    }
    const stats::LabelResponses& inputs = grouped ? **grouped : *own;
    const stats::ReferenceRows moments(inputs, alone.reference, alone.groups);
    evidence.effect = measured(stats::label_effect(design, 0, inputs, residuals, moments, alone.groups));
    Result result = score_label(evidence, options_);
    if (!facts_[alone.label].numbers) add_negatives(result, own->along, alone.reference, alone.groups);
    if (!group_names().empty() || of_class.grouped) {
      result.groups = GroupCounts{};
      if (!group_names().empty()) result.groups->examples = alone.groups.count;
      if (of_class.grouped) result.groups->inputs = of_class.grouped->values.rows();
    }
    add_joint(result, alone.label, of_class, moments);
    return result;
  }

  Class open_class(Index first, Index inputs, std::size_t number) const {
    Class found{stats::LabelResponses(data_.pool->sets[0].projections.values.middleRows(first, inputs)),
                {},
                data_.zero_gradients(number),
                {}};
    if (data_.groups && !data_.groups->classes.empty() && !data_.groups->classes[number].empty())
      found.grouped.emplace(
          stats::grouped_inputs(found.responses.values, groups_of(data_.groups->classes[number])));
    return found;
  }

  Index most_inputs() const {
    Index most = 0;
    for (const Class& one : classes_) most = std::max(most, one.responses.values.rows());
    return most;
  }

  stats::Effect measured(const stats::LabelEffect& found) const {
    return stats::measure_effect(found.sensitivities, found.errors, found.noise, found.spread,
                                 options_.level);
  }

  static LabelFacts facts_of(const VectorRef& values) {
    LabelFacts facts;
    facts.numbers = !is_binary(values);
    for (const double value : values) facts.rows += std::isnan(value) ? 0 : 1;
    facts.sd = label_sd(values);
    return facts;
  }

  const std::vector<std::string>& group_names() const {
    static const std::vector<std::string> none;
    return data_.groups ? data_.groups->pool : none;
  }

  // The rows without the label are what others might stand for.
  void add_negatives(Result& result, const Vector& along, const std::vector<Index>& reference,
                     const Groups& groups) const {
    Groups own;
    if (!groups.empty()) {
      std::vector<std::string> names;
      names.reserve(reference.size());
      for (const Index row : reference) names.push_back(std::to_string(groups.of_row[row]));
      own = groups_of(names);
    }
    result.negatives = stats::other_negatives(along(reference), own, {}, result.effect, options_.level);
  }

  void prepare_joint() {
    std::vector<Index> all;
    for (Index c = 0; c < labels(); ++c) all.push_back(c);
    complete_.emplace(data_.labels->values, all);
    if (std::ssize(complete_->rows) < labels() + 2) return;
    joint_groups_ = groups_at(group_names(), complete_->rows);
    try {
      joint_ =
          stats::design_labels(complete_->values, data_.labels->columns, joint_groups_, options_.threads);
    } catch (const std::invalid_argument& error) {
      // Labels that differ where others are not known.
      if (std::ssize(complete_->rows) == data_.labels->values.rows()) throw;
      no_joint_ = error.what();
      no_joint_ = no_joint_.substr(no_joint_.find("] ") + 2);
      return;
    }
    add_encodings(*complete_);
    for (Class& of_class : classes_)
      of_class.joint = stats::label_residuals(*joint_, Part(of_class.inputs(), complete_->rows)->values);
  }

  // Empty where there is one.
  std::string why_no_joint(Index label) const {
    const auto rows = complete_->rows.size();
    if (!no_joint_.empty()) return fmt::format("in the {} rows that have all labels {}", rows, no_joint_);
    if (!joint_) {
      return fmt::format("{} rows have all {} labels, which takes {} or more", rows, labels(), labels() + 2);
    }
    const bool one_group = !facts_[label].numbers && !joint_groups_.empty() &&
                           lonely_side(complete_->values.col(label), joint_groups_).has_value();
    if (!one_group && !joint_->decided_by_one[label]) return {};
    return fmt::format(
        "in the {} rows that have all labels one {} alone decides it, whose noise is not known", rows,
        one_group ? "group" : "example");
  }

  // The same for every class.
  void add_encodings(const LabelRows& table) {
    const Matrix& products = data_.pool_products;
    if (products.size() == 0) return;
    const std::vector<Index> scored = stats::scored_rows(products.rows(), products.cols());
    std::vector<Index> place(static_cast<std::size_t>(products.cols()), -1);
    for (Index r = 0; r < std::ssize(table.rows); ++r) place[table.rows[r]] = r;
    std::vector<Index> kept;   // among the scored
    std::vector<Index> known;  // their places in the table
    for (Index s = 0; s < std::ssize(scored); ++s) {
      if (place[scored[s]] < 0) continue;
      kept.push_back(s);
      known.push_back(place[scored[s]]);
    }
    if (kept.size() < 3) return;
    const auto found =
        stats::held_out_correlations(products(kept, table.rows), known, table.values,
                                     groups_at(group_names(), table.rows), options_.level, options_.threads);
    for (const stats::HeldOutCorrelation& one : found)
      encodings_.push_back({one.value, one.interval, std::ssize(kept)});
  }

  std::optional<LabelEncoding> encoding(Index label) const {
    return encodings_.empty() ? std::nullopt : std::optional(encodings_[label]);
  }

  // Alone there is nothing to hold fixed.
  // moments: of the label alone, which are the joint ones where all rows have all labels.
  void add_joint(Result& result, Index label, const Class& of_class,
                 const stats::ReferenceRows& moments) const {
    if (labels() == 1) {
      result.joint = JointEffect{result.effect, facts_[label].rows};
      result.joint->encoding = encoding(label);
      return;
    }
    if (const std::string why = why_no_joint(label); !why.empty()) {
      result.warnings.push_back("no joint effect: " + why);
      return;
    }
    const Part responses(of_class.inputs(), complete_->rows);
    const auto effect_by = [&](const stats::ReferenceRows& reference) {
      return measured(
          stats::label_effect(*joint_, label, *responses, *of_class.joint, reference, joint_groups_));
    };
    const bool all = std::ssize(complete_->rows) == values_.cols();
    result.joint = JointEffect{
        all ? effect_by(moments) : effect_by({*responses, complete_->reference(label), joint_groups_}),
        std::ssize(complete_->rows), joint_->inflation(label)};
    result.joint->encoding = encoding(label);
    if (result.joint->inflation > kInflated) {
      result.warnings.push_back(
          fmt::format("the other labels nearly determine this one (variance inflation {:.0f}): its joint "
                      "effect is uncertain",
                      result.joint->inflation));
    }
  }

  const LayerData& data_;
  const Options& options_;
  Matrix values_;  // labels × rows of the pool
  std::vector<Class> classes_;
  std::vector<LabelFacts> facts_;
  std::optional<LabelRows> complete_;
  std::vector<LabelEncoding> encodings_;  // by label; empty where products are not known
  Groups joint_groups_;
  std::optional<stats::LabelDesign> joint_;
  std::string no_joint_;  // why there is none, where labels do not allow it
};

}  // namespace

std::vector<Result> score_labels(const LayerData& data, const Options& options,
                                 const std::function<void()>& on_result) {
  const PoolAnalysis analysis(data, options);
  const auto classes = std::ssize(data.names.classes);
  std::vector<Result> results(static_cast<std::size_t>(analysis.labels() * classes));
  parallel_for(analysis.labels(), options.threads, [&](Index label) {
    std::vector<Result> found = analysis.results(label);
    for (Index k = 0; k < classes; ++k) {
      Result& result = found[static_cast<std::size_t>(k)];
      result.concept_name = data.labels->columns[label];
      result.class_name = data.names.classes[k].name;
      result.layer = data.names.layer;
      result.tensor = data.names.tensor;
      result.dimension = data.gradients.cols();
      result.top_share = data.names.classes[k].top_share;
      results[k * analysis.labels() + label] = std::move(result);
      on_result();
    }
  });
  return results;
}

}  // namespace atcav
