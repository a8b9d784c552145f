#include "pipeline/discover_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "data/array/open_array.h"
#include "data/file/sha256.h"
#include "model/chosen_rows.h"
#include "pipeline/row_groups.h"

namespace atcav {
namespace {

OpenedSet open_rows(const Session& session, const Role& role, const std::string& path,
                    std::shared_ptr<const model::StoredExamples> all, const std::vector<Index>& rows) {
  model::Inputs inputs(
      std::shared_ptr<model::StoredExamples>(std::make_shared<model::ChosenRows>(std::move(all), rows)));
  std::vector<std::string> hashes = session.cache ? model::content_hashes(inputs, session.reading.threads)
                                                  : std::vector<std::string>(rows.size());
  return {role, path, std::move(inputs), std::move(hashes)};
}

}  // namespace

std::vector<std::string> HalvedSet::groups_of(const std::vector<Index>& some) const {
  std::vector<std::string> names;
  for (const Index row : some)
    if (!groups.empty()) names.push_back(groups[static_cast<std::size_t>(row)]);
  return names;
}

Input HalvedSet::describe() const {
  std::vector<std::string> hashes(static_cast<std::size_t>(all->rows()));
  for (std::size_t i = 0; i < rows.finds.size(); ++i) hashes[rows.finds[i]] = finds.hashes[i];
  for (std::size_t i = 0; i < rows.tests.size(); ++i) hashes[rows.tests[i]] = tests.hashes[i];
  data::Sha256 hash;
  for (const std::string& one : hashes) hash.update(one);
  return {role, path, hash.hex(), {all->rows()}};
}

HalvedSet open_halves(const Session& session, const Config& config, const Role& role, const std::string& path,
                      bool reuse) {
  model::InputOptions reading = session.reading;
  reading.subfolders = role.kind == Role::Kind::kRandom;
  std::shared_ptr<model::StoredExamples> all = model::open_examples(path, session.facts.inputs, reading);
  std::vector<std::string> groups;
  if (role.kind == Role::Kind::kClass) {
    std::vector<std::string> files;
    for (Index row = 0; row < all->rows() && !all->file(row).empty(); ++row) files.push_back(all->file(row));
    groups = class_groups(config, role.name, files, all->rows());
  }
  Halves rows = halve(role_text(role), groups, all->rows(), config.options.seed);
  if (reuse) rows.tests = rows.finds;
  OpenedSet finds = open_rows(session, role, path, all, rows.finds);
  OpenedSet tests = open_rows(session, role, path, all, rows.tests);
  return {role, path, std::move(all), std::move(rows), std::move(groups), std::move(finds), std::move(tests)};
}

LayerDirections read_dictionary(const std::string& spec, const ProbedLayer& layer) {
  LayerDirections found{layer.name, {}, {}};
  if (spec.ends_with(".safetensors")) {
    found = read_directions(spec, {layer.name}).layers.front();
  } else {
    found.rows = data::open_array(spec).read_double();
    check_finite("discover", "dictionary " + spec, MatrixRef(found.rows));
    const auto digits = std::to_string(std::max<Index>(found.rows.rows() - 1, 0)).size();
    for (Index row = 0; row < found.rows.rows(); ++row)
      found.concepts.push_back(fmt::format("{:0{}}", row, digits));
  }
  check_same("discover", "columns", spec, found.rows.cols(), "the layer (channels)", layer.columns);
  return found;
}

}  // namespace atcav
