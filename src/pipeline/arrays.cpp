#include "atcav/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include "core/check.h"
#include "core/memory.h"
#include "data/array/open_array.h"
#include "data/file/sha256.h"
#include "pipeline/analyse.h"
#include "pipeline/check_config.h"
#include "pipeline/layer_data.h"

namespace atcav {
namespace {

// Rows of an array file, read when they are asked for.
class FileSource : public pass::RowSource {
 public:
  FileSource(std::string name, data::Array array) : name_(std::move(name)), array_(std::move(array)) {}
  std::string name() const override { return name_; }
  Index rows() const override { return array_.rows(); }
  Index columns() const override { return array_.columns(); }
  bool rereadable() const override { return true; }
  void read(Index first, Eigen::Ref<MatrixF> rows) override { array_.read_rows(first, rows); }
  // What float32 could not hold of the rows that were read; empty where nothing was lost.
  std::string rounding_note() const {
    const data::Rounding lost = array_.rounding();
    if (lost.columns == 0) return "";
    return fmt::format(
        "{} was rounded to float32: {} of its {} columns lose more than 0.1 % of their spread (column "
        "{} loses {:.2g} %); subtract what all rows share before saving it",
        name_, lost.columns, columns(), lost.worst, 100 * lost.lost);
  }

 private:
  std::string name_;
  data::Array array_;
};

// Rows in memory, used where they are.
class ViewSource : public pass::RowSource {
 public:
  ViewSource(std::string name, const MatrixFRef& rows) : name_(std::move(name)), values_(rows) {}
  std::string name() const override { return name_; }
  Index rows() const override { return values_.rows(); }
  Index columns() const override { return values_.cols(); }
  bool rereadable() const override { return true; }
  void read(Index first, Eigen::Ref<MatrixF> rows) override { rows = values_.middleRows(first, rows.rows()); }
  const float* data() const override {
    return values_.outerStride() == values_.cols() ? values_.data() : nullptr;
  }
  // There is no file: the hash is of the values.
  Input describe() const {
    data::Sha256 hash;
    for (Index i = 0; i < rows(); ++i)
      hash.update(std::as_bytes(std::span(values_.row(i).data(), static_cast<std::size_t>(columns()))));
    return {name_, "", hash.hex(), {rows(), columns()}};
  }

 private:
  std::string name_;
  MatrixFRef values_;
};

// Rows from anywhere: what both ways in are made of.
struct RowSet {
  std::string name;         // as results call it; messages use rows->name()
  pass::RowSource* rows{};  // never null
};
struct ArraySources {
  RowSet random;
  std::vector<RowSet> concepts;   // at least one, at least two rows each
  std::vector<RowSet> gradients;  // one per class, at least one row each
  std::string layer;
  std::vector<std::pair<Index, Index>> relative;  // as LayerNames::relative
};

void check_shape(const pass::RowSource& source, const pass::RowSource& random, Index least_rows) {
  check_at_least("score", fmt::format("number of rows of {}", source.name()), source.rows(), least_rows);
  check_at_least("score", fmt::format("number of columns of {}", source.name()), source.columns(), 1);
  check_same("score", "columns", source.name(), source.columns(), random.name(), random.columns());
}

MatrixF read_gradients(const ArraySources& sources, Index rows) {
  MatrixF gradients(rows, sources.random.rows->columns());
  Index first = 0;
  for (const RowSet& set : sources.gradients) {
    auto part = gradients.middleRows(first, set.rows->rows());
    set.rows->read(0, part);
    check_finite("score", set.rows->name(), MatrixFRef(part));
    first += set.rows->rows();
  }
  return gradients;
}

// The same array as concept and as random says nothing. `inputs` start with random and the concepts.
void warn_of_equal_inputs(RunResult& result) {
  const Input& random = result.inputs.front();
  for (Result& one : result.results) {
    for (const Input& input : result.inputs) {
      if (input.role == fmt::format("concept '{}'", one.concept_name) && input.sha256 == random.sha256 &&
          input.path == random.path) {
        one.warnings.push_back("the concept and the random examples are the same array");
      }
    }
  }
}

LayerData collect(const ArraySources& sources, const Options& options, const Progress& progress) {
  LayerData data;
  data.names.layer = sources.layer;
  data.names.relative = sources.relative;
  std::vector<pass::RowSource*> sets = {sources.random.rows};
  Index smallest = sources.random.rows->rows();
  check_shape(*sources.random.rows, *sources.random.rows, 2);
  for (const RowSet& set : sources.concepts) {
    check_shape(*set.rows, *sources.random.rows, 2);
    data.names.concepts.push_back(set.name);
    sets.push_back(set.rows);
    smallest = std::min(smallest, set.rows->rows());
  }
  Index inputs = 0;
  for (const RowSet& set : sources.gradients) {
    check_shape(*set.rows, *sources.random.rows, 1);
    data.names.classes.push_back({set.name, set.rows->rows()});
    inputs += set.rows->rows();
  }
  check_names(data.names);
  pass::PassOptions choice = pass_options(options, smallest);
  const Index columns = sources.random.rows->columns();
  Index examples = 0;
  for (const pass::RowSource* set : sets) examples += set->rows();
  check_memory("score", fmt::format("scoring {} examples of {} columns", examples, columns),
               layer_bytes(inputs, columns, examples, std::ssize(sets), choice),
               memory_budget(options.memory));
  data.gradients = read_gradients(sources, inputs);
  choice.progress = [&](Index done, Index total) {
    if (progress) progress("read", done, total);
  };
  data.pass = pass::run_pass(data.gradients, sets, choice);
  return data;
}

}  // namespace

RunResult score(const std::vector<NamedRows>& concepts, const MatrixFRef& random,
                const std::vector<NamedRows>& gradients, const Options& options, const std::string& layer,
                const Progress& progress, bool keep_cavs) {
  RunResult about;
  about.command = "score";
  about.options = checked(options);
  std::deque<ViewSource> views;  // sources point into it
  const auto add = [&views](std::string role, const MatrixFRef& rows) {
    return &views.emplace_back(std::move(role), rows);
  };
  ArraySources sources{{"random", add("random", random)}, {}, {}, layer, {}};
  for (const NamedRows& set : concepts)
    sources.concepts.push_back({set.name, add(fmt::format("concept '{}'", set.name), set.rows)});
  for (const NamedRows& set : gradients)
    sources.gradients.push_back({set.name, add(fmt::format("gradients '{}'", set.name), set.rows)});
  const LayerData data = collect(sources, about.options, progress);
  for (const ViewSource& view : views) about.inputs.push_back(view.describe());
  RunResult result = analyse({&data, 1}, std::move(about), progress, keep_cavs);
  warn_of_equal_inputs(result);
  return result;
}

RunResult score(const Config& config, const Progress& progress) {
  Stopwatch watch;
  RunResult about;
  about.command = "score";
  about.options = checked(config.options);
  if (config.random.empty()) fail_argument("score", "no random examples were given");
  if (config.concepts.empty()) fail_argument("score", "no concept was given");
  if (config.gradients.empty()) fail_argument("score", "no gradients were given");
  if (config.layers.size() > 1) fail_argument("score", "arrays are of one layer, more were named");
  struct Opened {
    Input input;
    FileSource source;
    data::BackgroundHash hash;  // while the rows are read, so that files are read from the disk once
  };
  std::deque<Opened> opened;
  const auto add = [&opened](std::string role, const std::string& path) {
    data::Array array = data::open_array(path);
    Input input{role, path, "", {array.shape().begin(), array.shape().end()}};
    data::BackgroundHash hash(array);
    opened.push_back(
        {std::move(input), {fmt::format("{} ({})", role, path), std::move(array)}, std::move(hash)});
    return &opened.back().source;
  };
  ArraySources sources{{"random", add("random", config.random)}, {}, {}, "", {}};
  if (!config.layers.empty()) sources.layer = config.layers.front();
  for (const ExampleSet& set : config.concepts)
    sources.concepts.push_back({set.name, add(fmt::format("concept '{}'", set.name), set.path)});
  for (const ExampleSet& set : config.gradients) {
    const std::string name = !set.name.empty() ? set.name : config.gradients.size() == 1 ? "class" : set.path;
    sources.gradients.push_back({name, add(fmt::format("gradients '{}'", name), set.path)});
  }
  sources.relative = relative_positions(config);
  watch.lap("open");
  const LayerData data = collect(sources, about.options, progress);
  watch.lap("pass");
  for (Opened& file : opened) {
    if (progress) progress("hash", std::ssize(about.inputs), std::ssize(opened));
    file.input.sha256 = file.hash.get();
    about.inputs.push_back(file.input);
    const std::string note = file.source.rounding_note();
    if (!note.empty()) about.notes.push_back(note);
  }
  watch.lap("hash");
  about.seconds = watch.seconds();
  RunResult result = analyse({&data, 1}, std::move(about), progress, !config.save_cavs.empty());
  warn_of_equal_inputs(result);
  return result;
}

}  // namespace atcav
