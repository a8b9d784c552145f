#include "atcav/experiment/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "atcav/base/check.h"
#include "atcav/experiment/analyse.h"
#include "atcav/experiment/analyse_pass.h"
#include "atcav/experiment/array_source.h"
#include "atcav/experiment/stopwatch.h"
#include "atcav/io/open_array.h"
#include "atcav/io/sha256.h"

namespace atcav::experiment {
namespace {

struct Opened {
  std::string role;
  std::string path;
  io::Array array;
};

void check_inputs(const ScoreInputs& inputs) {
  check_at_least("score", "number of concepts", static_cast<Index>(inputs.concepts.size()), 1);
  check_at_least("score", "number of gradient arrays", static_cast<Index>(inputs.gradients.size()), 1);
  for (const auto* list : {&inputs.concepts, &inputs.gradients}) {
    std::set<std::string> seen;
    for (const NamedArray& array : *list) {
      if (!seen.insert(array.name).second)
        fail_argument("score", fmt::format("the name '{}' is used twice", array.name));
    }
  }
}

Opened open(std::string role, const std::string& path, Index least_rows) {
  io::Array array = io::open_array(path);
  check_at_least("score", fmt::format("number of rows of {} ({})", role, path), array.rows(), least_rows);
  check_at_least("score", fmt::format("number of columns of {} ({})", role, path), array.columns(), 1);
  return {std::move(role), path, std::move(array)};
}

void check_columns(const Opened& opened, const Opened& random) {
  check_same("score", "columns", fmt::format("{} ({})", opened.role, opened.path), opened.array.columns(),
             fmt::format("{} ({})", random.role, random.path), random.array.columns());
}

MatrixF read_gradients(const std::vector<Opened>& files) {
  Index rows = 0;
  for (const Opened& file : files) rows += file.array.rows();
  MatrixF gradients(rows, files.front().array.columns());
  Index first = 0;
  for (const Opened& file : files) {
    auto part = gradients.middleRows(first, file.array.rows());
    file.array.read_rows(0, part);
    check_finite("score", fmt::format("{} ({})", file.role, file.path), MatrixFRef(part));
    first += file.array.rows();
  }
  return gradients;
}

// A safetensors spec names a tensor behind the file: the file is what is hashed.
Input describe(const Opened& opened) {
  const io::Array& array = opened.array;
  return {
      opened.role, opened.path, io::sha256_file(array.file()), {array.shape().begin(), array.shape().end()}};
}

// The same file as concept and as random says nothing; a copy of it neither.
void warn_of_equal_files(Scored& scored, const Input& random) {
  for (Result& result : scored.results) {
    for (const Input& input : scored.inputs) {
      if (input.role == fmt::format("concept '{}'", result.concept_name) && input.sha256 == random.sha256 &&
          input.path == random.path) {
        result.warnings.push_back("the concept and the random examples are the same array");
      }
    }
  }
}

}  // namespace

Scored score(const ScoreInputs& inputs, const Options& options, const Progress& progress) {
  Scored scored;
  scored.options = checked(options);
  check_inputs(inputs);
  const auto report = [&progress](const std::string& stage, Index done, Index total) {
    if (progress) progress(stage, done, total);
  };
  Stopwatch watch;

  std::vector<Opened> sets;
  sets.push_back(open("random", inputs.random, 2));
  for (const NamedArray& entry : inputs.concepts)
    sets.push_back(open(fmt::format("concept '{}'", entry.name), entry.path, 2));
  std::vector<Opened> gradient_files;
  LayerNames names;
  names.layer = inputs.layer;
  for (const NamedArray& entry : inputs.gradients) {
    gradient_files.push_back(open(fmt::format("gradients '{}'", entry.name), entry.path, 1));
    names.classes.push_back({entry.name, gradient_files.back().array.rows()});
  }
  for (const NamedArray& entry : inputs.concepts) names.concepts.push_back(entry.name);
  for (const Opened& set : sets) check_columns(set, sets.front());
  for (const Opened& file : gradient_files) check_columns(file, sets.front());
  const MatrixF gradients = read_gradients(gradient_files);
  scored.seconds.emplace_back("open", watch.lap());

  std::vector<ArraySource> sources;
  sources.reserve(sets.size());
  for (const Opened& set : sets) sources.emplace_back(fmt::format("{} ({})", set.role, set.path), set.array);
  std::vector<span::RowSource*> pointers;
  Index smallest = sources.front().rows();
  for (ArraySource& source : sources) {
    pointers.push_back(&source);
    smallest = std::min(smallest, source.rows());
  }
  span::PassOptions pass_choice = pass_options(scored.options, smallest);
  pass_choice.progress = [&](Index done, Index total) { report("read", done, total); };
  const span::Pass pass = span::run_pass(gradients, pointers, pass_choice);
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

  for (const auto* files : {&sets, &gradient_files}) {
    for (const Opened& file : *files) {
      report("hash", static_cast<Index>(scored.inputs.size()),
             static_cast<Index>(sets.size() + gradient_files.size()));
      scored.inputs.push_back(describe(file));
    }
  }
  warn_of_equal_files(scored, scored.inputs.front());
  scored.seconds.emplace_back("hash", watch.lap());
  return scored;
}

}  // namespace atcav::experiment
