#include "pipeline/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/check.h"
#include "data/array/open_array.h"
#include "data/file/reader.h"

namespace atcav {

ClassTarget ClassTarget::of(const std::vector<Index>& inputs) const {
  ClassTarget own = *this;
  if (!per_input()) return own;
  own.logits.clear();
  for (const Index input : inputs) own.logits.push_back(logits[static_cast<std::size_t>(input)]);
  return own;
}

Eigen::VectorXf ClassTarget::values(const MatrixF& logits_of_inputs, Index first) const {
  Eigen::VectorXf values(logits_of_inputs.rows());
  for (Index i = 0; i < values.size(); ++i) {
    const auto which = per_input() ? static_cast<std::size_t>(first + i) : 0;
    const float value = logits_of_inputs(i, logits[which]) - (minus ? logits_of_inputs(i, *minus) : 0.0F);
    values(i) = negative ? -value : value;
  }
  return values;
}

std::string ClassTarget::text() const {
  std::string text = fmt::format("{}", fmt::join(logits, ","));
  if (minus) text += fmt::format(" minus {}", *minus);
  return negative ? text + " negative" : text;
}

ClassTarget resolve_target(const ClassSet& set, Index inputs, const model::Facts& facts) {
  ClassTarget target{{set.target.logit}, set.target.minus, set.target.negative};
  if (!set.target.file.empty()) {
    const std::vector<std::int64_t> indices = data::open_array(set.target.file).read_int64();
    check_same("run", "indices", set.target.file, std::ssize(indices), "class '" + set.name + "'", inputs);
    target.logits.assign(indices.begin(), indices.end());
  }
  const auto check = [&](Index logit) {
    if (logit < 0 || logit >= facts.logit_count) {
      fail_argument("run", fmt::format("class '{}' has index {}, must be below {}, the number of logits",
                                       set.name, logit, facts.logit_count));
    }
  };
  for (const Index logit : target.logits) check(logit);
  if (target.minus) check(*target.minus);
  if (target.negative && facts.logit_count > 1) {
    fail_argument(
        "run", fmt::format("class '{}' has index -0, which is for networks with one logit; this one has {}",
                           set.name, facts.logit_count));
  }
  return target;
}

// One more or less, and every name would be another logit's.
std::vector<std::string> read_logit_names(const std::string& file, Index logits) {
  if (file.empty()) return {};
  std::vector<std::string> labels = data::read_lines(file);
  while (!labels.empty() && labels.back().empty()) labels.pop_back();
  check_same("run", "names", file, std::ssize(labels), "the network (logits)", logits);
  return labels;
}

void name_logits(std::vector<std::string>& names, const std::vector<ClassTarget>& targets,
                 const std::vector<ClassSet>& classes) {
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k].is_plain()) continue;
    const auto place = static_cast<std::size_t>(targets[k].logits.front());
    if (names.size() <= place) names.resize(place + 1);
    if (names[place].empty()) names[place] = classes[k].name;
  }
}

}  // namespace atcav
