#include "atcav/run/score_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "atcav/base/check.h"
#include "atcav/run/analyse.h"
#include "atcav/run/analyse_pass.h"
#include "atcav/run/stopwatch.h"
#include "atcav/span/product.h"

namespace atcav {
namespace {

void check_names(const Sources& sources) {
  check_at_least("score", "number of concepts", static_cast<Index>(sources.concepts.size()), 1);
  check_at_least("score", "number of gradient arrays", static_cast<Index>(sources.gradients.size()), 1);
  for (const auto* list : {&sources.concepts, &sources.gradients}) {
    std::set<std::string> seen;
    for (const NamedSource& source : *list) {
      if (!seen.insert(source.name).second)
        fail_argument("score", fmt::format("the name '{}' is used twice", source.name));
    }
  }
}

void check_shape(const span::RowSource& source, const span::RowSource& random, Index least_rows) {
  check_at_least("score", fmt::format("number of rows of {}", source.name()), source.rows(), least_rows);
  check_at_least("score", fmt::format("number of columns of {}", source.name()), source.columns(), 1);
  check_same("score", "columns", source.name(), source.columns(), random.name(), random.columns());
}

void check_shapes(const Sources& sources) {
  check_shape(*sources.random, *sources.random, 2);
  for (const NamedSource& source : sources.concepts) check_shape(*source.rows, *sources.random, 2);
  for (const NamedSource& source : sources.gradients) check_shape(*source.rows, *sources.random, 1);
}

MatrixF read_gradients(const Sources& sources) {
  Index rows = 0;
  for (const NamedSource& source : sources.gradients) rows += source.rows->rows();
  MatrixF gradients(rows, sources.random->columns());
  Index first = 0;
  for (const NamedSource& source : sources.gradients) {
    auto part = gradients.middleRows(first, source.rows->rows());
    source.rows->read(0, part);
    check_finite("score", source.rows->name(), MatrixFRef(part));
    first += source.rows->rows();
  }
  return gradients;
}

LayerNames names_of(const Sources& sources) {
  LayerNames names;
  names.layer = sources.layer;
  for (const NamedSource& source : sources.concepts) names.concepts.push_back(source.name);
  for (const NamedSource& source : sources.gradients)
    names.classes.push_back({source.name, source.rows->rows()});
  return names;
}

}  // namespace

RunResult score_sources(const Sources& sources, const Options& options, const Progress& progress) {
  RunResult scored;
  scored.options = checked(options);
  scored.libraries = span::product_libraries();
  check_names(sources);
  check_shapes(sources);
  const auto report = [&progress](const std::string& stage, Index done, Index total) {
    if (progress) progress(stage, done, total);
  };
  Stopwatch watch;
  const LayerNames names = names_of(sources);
  const MatrixF gradients = read_gradients(sources);
  scored.seconds.emplace_back("gradients", watch.lap());

  std::vector<span::RowSource*> sets = {sources.random};
  Index smallest = sources.random->rows();
  for (const NamedSource& source : sources.concepts) {
    sets.push_back(source.rows);
    smallest = std::min(smallest, source.rows->rows());
  }
  span::PassOptions pass_choice = pass_options(scored.options, smallest);
  pass_choice.progress = [&](Index done, Index total) { report("read", done, total); };
  const span::Pass pass = span::run_pass(gradients, sets, pass_choice);
  scored.seconds.emplace_back("pass", watch.lap());

  const auto total = static_cast<Index>(names.classes.size() * names.concepts.size());
  Index finished = 0;
  report("analyse", 0, total);
  LayerResults found =
      analyse_pass(pass, gradients, names, scored.options, [&] { report("analyse", ++finished, total); });
  scored.results = std::move(found.results);
  scored.entanglement.push_back(std::move(found.entanglement));
  correct_for_multiple_tests(scored.results);
  scored.seconds.emplace_back("analyse", watch.lap());
  return scored;
}

void warn_of_equal_inputs(RunResult& scored) {
  const Input& random = scored.inputs.front();
  for (Result& result : scored.results) {
    for (const Input& input : scored.inputs) {
      if (input.role == fmt::format("concept '{}'", result.concept_name) && input.sha256 == random.sha256 &&
          input.path == random.path) {
        result.warnings.push_back("the concept and the random examples are the same array");
      }
    }
  }
}

}  // namespace atcav
