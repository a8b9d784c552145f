#include "pipeline/array_rows.h"

#include <algorithm>

#include "core/check.h"
#include "pipeline/reading.h"

namespace atcav {

std::deque<ChosenSource> read_some_rows(const std::vector<pass::RowSource*>& sets, LayerData& data,
                                        const Options& options, RunInfo& about, const Progress& progress) {
  if (data.names.concepts.empty())
    fail_argument("score", "--until and --budget need concepts: a pool is read whole");
  Index total = 0;
  Index done = 0;
  std::vector<SetToRead> to_read;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Role role =
        s == 0 ? Role(Role::Kind::kRandom) : Role(Role::Kind::kConcept, data.names.concepts[s - 1]);
    to_read.push_back({role, sets[s]->rows()});
    total += sets[s]->rows();
  }
  constexpr Index kAtOnce = 256;
  ExampleProjector projector({&data, 1}, options.threads);
  MatrixF rows;
  const auto project = [&](Index set, const std::vector<Index>& wanted) {
    Matrix products(data.gradients.rows(), std::ssize(wanted));
    ChosenSource source(sets[set], wanted);
    for (Index first = 0; first < source.rows(); first += kAtOnce) {
      const Index count = std::min(kAtOnce, source.rows() - first);
      rows.resize(count, source.columns());
      source.read(first, rows);
      const auto numbers =
          std::span(wanted).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      products.middleCols(first, count) = projector.project(0, rows, source.name(), numbers);
      done += count;
      if (progress) progress("read", done, total);
    }
    return std::vector{std::move(products)};
  };
  RowsRead found = read_until({&data, 1}, to_read, options, project);
  std::deque<ChosenSource> chosen;
  for (std::size_t s = 0; s < sets.size(); ++s) chosen.emplace_back(sets[s], std::move(found.rows[s]));
  about.reading = std::move(found.reading);
  about.notes.insert(about.notes.end(), found.notes.begin(), found.notes.end());
  return chosen;
}

// The same array as concept and as random says nothing. `inputs` start with random and the concepts.
void warn_of_equal_inputs(RunResult& result) {
  if (result.inputs.front().role != Role::Kind::kRandom) return;
  const Input& random = result.inputs.front();
  for (Result& one : result.results) {
    for (const Input& input : result.inputs) {
      if (input.role == Role{Role::Kind::kConcept, one.concept_name} && input.sha256 == random.sha256 &&
          input.path == random.path) {
        one.warnings.push_back("the concept and the random examples are the same array");
      }
    }
  }
}

}  // namespace atcav
