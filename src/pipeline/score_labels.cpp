#include "pipeline/score_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "atcav/negatives.h"
#include "core/check.h"
#include "core/parallel.h"
#include "pipeline/grouped_effect.h"
#include "pipeline/label_tables.h"
#include "pipeline/score_label.h"
#include "stats/joint_effect.h"
#include "stats/label_encoding.h"

namespace atcav {
namespace {

constexpr double kInflated = 10;

class PoolAnalysis {
 public:
  PoolAnalysis(const LayerData& data, const Options& options) : data_(data), options_(options) {
    const PoolLabels& labels = *data.labels;
    const auto q = std::ssize(labels.columns);
    Index first = 0;
    for (std::size_t k = 0; k < data.names.classes.size(); ++k) {
      const Index inputs = data.names.classes[k].inputs;
      classes_.push_back(open_class(first, inputs, k));
      first += inputs;
    }
    for (Index c = 0; c < q; ++c) facts_.push_back(facts_of(labels.values.col(c)));
    if (q > 1)
      prepare_joint();
    else
      add_encodings(LabelRows(labels.values, {0}));
  }

  Index labels() const { return std::ssize(facts_); }

  // Results of the label, by class.
  std::vector<Result> results(Index label) const {
    const Vector values = data_.labels->values.col(label);
    const LabelRows alone(data_.labels->values, {label});
    const Groups groups = groups_at(group_names(), alone.rows);
    const stats::LabelDesign design =
        stats::design_labels(alone.values, {data_.labels->columns[label]}, groups, 1);
    if (design.decided_by_one.front()) {
      fail_argument("labels", fmt::format("'{}' is far from all others in one row, which alone decides its "
                                          "effect",
                                          data_.labels->columns[label]));
    }
    const std::vector<Index> reference = alone.reference(0);
    if (!facts_[label].numbers) check_sides(alone.values.col(0), groups, data_.labels->columns[label]);
    std::vector<Result> found;
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      const Class& of_class = classes_[k];
      const Matrix responses = columns_of(of_class.responses, alone.rows);
      const Matrix residuals = stats::label_residuals(design, responses);
      LabelEvidence evidence;
      evidence.label = data_.labels->columns[label];
      evidence.facts = facts_[label];
      evidence.with = facts_[label].numbers ? std::ssize(alone.rows) : (values.array() == 1).count();
      evidence.without = facts_[label].numbers ? 0 : (values.array() == 0).count();
      evidence.zero_gradients = of_class.zero_gradients;
      evidence.sensitivities = responses * design.weights.row(0).transpose();
      evidence.covariance = stats::label_covariance(design, 0, residuals, groups);
      evidence.effect =
          effect_of_label(design, 0, responses, reference, {groups, of_class.inputs}, options_.level);
      Result result = score_label(evidence, options_);
      if (!facts_[label].numbers) add_negatives(result, responses, reference, groups);
      if (!group_names().empty() || !of_class.inputs.empty()) {
        result.groups = GroupCounts{};
        if (!group_names().empty()) result.groups->examples = groups.count;
        if (!of_class.inputs.empty()) result.groups->inputs = of_class.inputs.count;
      }
      add_joint(result, label, k);
      found.push_back(std::move(result));
    }
    return found;
  }

 private:
  struct Class {
    Matrix responses;  // m × rows of the pool
    Groups inputs;
    Index zero_gradients = 0;
    Matrix joint;  // inputs × rows with all labels; of groups of inputs, where there are some
    Matrix joint_residuals;
  };

  Class open_class(Index first, Index inputs, std::size_t number) const {
    Class found;
    found.responses = data_.pool->sets[0].projections.values.middleRows(first, inputs);
    if (data_.groups && !data_.groups->classes.empty() && !data_.groups->classes[number].empty())
      found.inputs = groups_of(data_.groups->classes[number]);
    found.zero_gradients = data_.zero_gradients(number);
    return found;
  }

  static LabelFacts facts_of(const VectorRef& values) {
    LabelFacts facts;
    facts.numbers = !is_binary(values);
    for (const double value : values) facts.rows += std::isnan(value) ? 0 : 1;
    facts.sd = label_sd(values);
    return facts;
  }

  static Matrix columns_of(const Matrix& responses, const std::vector<Index>& rows) {
    if (std::ssize(rows) == responses.cols()) return responses;
    return responses(Eigen::all, rows);
  }

  const std::vector<std::string>& group_names() const {
    static const std::vector<std::string> none;
    return data_.groups ? data_.groups->pool : none;
  }

  // The rows without the label are what others might stand for.
  void add_negatives(Result& result, const Matrix& responses, const std::vector<Index>& reference,
                     const Groups& groups) const {
    const Vector along = responses(Eigen::all, reference).colwise().mean().transpose();
    Groups own;
    if (!groups.empty()) {
      std::vector<std::string> names;
      names.reserve(reference.size());
      for (const Index row : reference) names.push_back(std::to_string(groups.of_row[row]));
      own = groups_of(names);
    }
    result.negatives = stats::other_negatives(along, own, {}, result.effect, options_.level);
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
    for (Class& of_class : classes_) {
      of_class.joint = columns_of(of_class.responses, complete_->rows);
      if (!of_class.inputs.empty()) of_class.joint = stats::grouped_inputs(of_class.joint, of_class.inputs);
      of_class.joint_residuals = stats::label_residuals(*joint_, of_class.joint);
    }
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
  void add_joint(Result& result, Index label, std::size_t number) const {
    if (labels() == 1) {
      result.joint = JointEffect{result.effect, facts_[label].rows};
      result.joint->encoding = encoding(label);
      return;
    }
    if (const std::string why = why_no_joint(label); !why.empty()) {
      result.warnings.push_back("no joint effect: " + why);
      return;
    }
    const Class& of_class = classes_[number];
    const stats::LabelEffect effect = stats::label_effect(
        *joint_, label, of_class.joint, of_class.joint_residuals, complete_->reference(label), joint_groups_);
    result.joint = JointEffect{stats::measure_effect(effect.sensitivities, effect.errors, effect.noise,
                                                     effect.spread, options_.level),
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
