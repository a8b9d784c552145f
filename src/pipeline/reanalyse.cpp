#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "atcav/influences.h"
#include "core/check.h"
#include "pipeline/corrections.h"
#include "pipeline/influences.h"
#include "pipeline/row_groups.h"
#include "pipeline/score_concept.h"
#include "pipeline/score_labels.h"
#include "pipeline/verdict.h"
#include "pipeline/warnings.h"

namespace atcav {
namespace {

const Influences& influences_of(const RunResult& run) {
  if (!run.influences)
    fail_argument("reanalyse", "the run kept no influences: --influences when it is made keeps them");
  return *run.influences;
}

// Of the pool's rows, in a table that was read again.
void take_labels(LayerData& layer, const LabelTable& table) {
  layer.labels = std::make_shared<PoolLabels>(
      match_labels(table, layer.files->pool, layer.pool->sets[0].projections.columns()));
}

void check_lengths(const LayerData& layer) {
  if (!layer.groups) return;
  const RowGroups& groups = *layer.groups;
  const auto check = [](const std::string& role, const std::vector<std::string>& names, Index rows) {
    if (!names.empty()) check_same("groups", "names or rows", "the groups", std::ssize(names), role, rows);
  };
  for (std::size_t s = 0; layer.pass && s < groups.sets.size(); ++s)
    check(s == 0 ? "random" : "concept", groups.sets.at(s), layer.pass->sets.at(s).projections.columns());
  if (layer.pool) check("the pool", groups.pool, layer.pool->sets[0].projections.columns());
  if (!groups.classes.empty())
    check_same("groups", "classes", "the groups", std::ssize(groups.classes), "the run",
               std::ssize(layer.names.classes));
  for (std::size_t k = 0; k < groups.classes.size(); ++k)
    check("class " + layer.names.classes[k].name, groups.classes[k], layer.names.classes[k].inputs);
}

LayerData chosen_layer(const Influences& kept, std::size_t number, const Reanalysis& choices) {
  LayerData layer = kept_layer(kept, number);
  if (choices.labels && layer.pool) take_labels(layer, *choices.labels);
  if (choices.groups) {
    RowGroups groups = *choices.groups;
    if (groups.pool.empty() && layer.labels && choices.labels) groups.pool = layer.labels->groups;
    layer.groups = std::make_shared<RowGroups>(std::move(groups));
  }
  check_lengths(layer);
  return layer;
}

std::vector<std::string> warnings_about_use(const Result& result, const Evidence& evidence,
                                            const std::vector<std::string>& about_rows,
                                            const Options& options) {
  std::vector<std::string> found = warnings_of(result, evidence.zero_gradients, options);
  found.insert(found.end(), about_rows.begin(), about_rows.end());
  return found;
}

// What is said of use, and the warnings that came with it.
void use_again(Result& result, const Evidence& before, const Options& old, const Evidence& after,
               const Options& options) {
  const std::string divided = divided_warning(result);
  Result copy = result;
  const std::vector<std::string> about_rows = add_use(copy, before, old);
  std::vector<std::string> said = warnings_about_use(copy, before, about_rows, old);
  said.push_back(divided);
  const std::vector<std::string> about_new = add_use(result, after, options);
  std::vector<std::string> warnings = warnings_about_use(result, after, about_new, options);
  for (std::string& text : result.warnings) {
    if (std::ranges::find(said, text) == said.end()) warnings.push_back(std::move(text));
  }
  result.warnings = std::move(warnings);
}

class Again {
 public:
  Again(RunResult& run, const Reanalysis& choices, const Options& options)
      : run_(run), choices_(choices), options_(options) {}

  std::vector<Result> results() {
    const Influences& kept = *run_.influences;
    std::vector<Result> found;
    for (std::size_t l = 0; l < kept.layers.size(); ++l) {
      const LayerData after = chosen_layer(kept, l, choices_);
      if (after.pass) add_concepts(kept_layer(kept, l), after, found);
      if (!after.pool) continue;
      for (Result& label : score_labels(after, options_, [] {})) {
        add_place(label);
        found.push_back(std::move(label));
      }
    }
    return found;
  }
  const fit::LargestT& largest() const { return largest_; }

 private:
  void add_concepts(const LayerData& before, const LayerData& after, std::vector<Result>& found) {
    const std::vector<Test> tests = tests_of(after.names);
    for (std::size_t k = 0; k < after.names.classes.size(); ++k) {
      for (const Test& test : tests) {
        Result result = own_result(test.name, after.names.classes[k].name, after.names.layer);
        const Evidence evidence = mean_evidence(after, test, k, options_);
        use_again(result, mean_evidence(before, test, k, run_.options), run_.options, evidence, options_);
        result.examples->significance.max_t.reset();
        result.effect.simultaneous.reset();
        const Vector t = relabelled_use(evidence, result, after.names.classes[k].name, options_);
        if (t.size() > 0) {
          largest_.add(t);
          result.examples->significance.max_t = 1;  // until all are there
        }
        found.push_back(std::move(result));
      }
    }
  }

  Result own_result(const std::string& concept_name, const std::string& class_name,
                    const std::string& layer) const {
    for (const Result& one : run_.results) {
      if (!one.label && one.examples && one.concept_name == concept_name && one.class_name == class_name &&
          one.layer == layer)
        return one;
    }
    fail_argument("reanalyse", fmt::format("the results have no '{}' for '{}' at '{}', the influences do",
                                           concept_name, class_name, layer));
  }

  // What does not depend on labels and groups.
  void add_place(Result& label) const {
    const auto same_place = [&](const Result& one) {
      return one.layer == label.layer && one.class_name == label.class_name;
    };
    const auto one = std::ranges::find_if(run_.results, same_place);
    if (one == run_.results.end()) return;
    label.dimension = one->dimension;
    label.tensor = one->tensor;
    label.top_share = one->top_share;
  }

  RunResult& run_;
  const Reanalysis& choices_;
  const Options& options_;
  fit::LargestT largest_;
};

}  // namespace

Reanalysis regrouping(const RunResult& run, const Config& choices) {
  const Influences& kept = influences_of(run);
  Reanalysis found;
  std::vector<std::string> notes;
  const auto add = [&](const std::string& text) { notes.push_back(text); };
  const LayerData first = kept_layer(kept, 0);
  std::vector<std::string> of_column;
  if (!choices.group_column.empty() || !choices.labels.empty()) {
    if (!first.pool) fail_argument("groups", "the run had no pool, whose labels have a group column");
    Config table = choices;
    for (const Input& input : run.inputs) {
      if (table.labels.empty() && input.role.kind == Role::Kind::kLabels) table.labels = input.path;
    }
    if (!std::filesystem::is_regular_file(table.labels)) {
      fail_argument("groups", fmt::format("the table of labels, '{}', is not there: --labels FILE names it",
                                          table.labels));
    }
    found.labels = open_labels(table);
    of_column =
        match_labels(*found.labels, kept.files.pool, first.pool->sets[0].projections.columns()).groups;
    if (!choices.group_column.empty())
      add(fmt::format("rows of the pool in groups by '{}'", choices.group_column));
  }
  if (const auto groups = row_groups(choices, first.names, kept.files, first.pool.has_value(), of_column)) {
    found.groups = *groups;
    if (!choices.group_by.empty()) add(fmt::format("examples in groups by '{}'", choices.group_by));
    if (!choices.class_groups.empty()) add("inputs in groups");
  }
  found.level = choices.options.level;
  found.negligible = choices.options.negligible;
  for (const std::string& text : notes) found.note += (found.note.empty() ? "" : ", ") + text;
  return found;
}

RunResult reanalyse(RunResult run, const Reanalysis& choices) {
  influences_of(run);
  Options options = run.options;
  if (choices.level) options.level = *choices.level;
  if (choices.negligible) options.negligible = *choices.negligible;
  options = checked(options);
  Again again(run, choices, options);
  std::vector<Result> results = again.results();
  correct_for_multiple_tests(results, again.largest(), options);
  for (Result& result : results) result.verdict = judge(result, options.level);
  if (options.level != run.options.level && !run.scores_level) run.scores_level = run.options.level;
  run.results = std::move(results);
  run.options = options;
  if (!choices.note.empty()) run.notes.push_back("analysed again without the network: " + choices.note);
  return run;
}

}  // namespace atcav
