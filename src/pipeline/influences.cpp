#include "pipeline/influences.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "atcav/version.h"
#include "data/array/safetensors.h"
#include "data/file/fail.h"
#include "data/file/reader.h"

namespace atcav {
namespace {

using KeptJson = nlohmann::json;

constexpr const char* kInfluences = "influences";

KeptJson groups_document(const RowGroups& groups) {
  return {{"sets", groups.sets}, {"pool", groups.pool}, {"classes", groups.classes}};
}

RowGroups groups_in(const KeptJson& json) {
  RowGroups groups;
  json.at("sets").get_to(groups.sets);
  json.at("pool").get_to(groups.pool);
  json.at("classes").get_to(groups.classes);
  return groups;
}

KeptJson document_of(const Influences& kept) {
  KeptJson json = {{"concepts", kept.concepts},
                   {"relative", kept.relative},
                   {"columns", kept.columns},
                   {"strata", kept.strata},
                   {"files", groups_document(kept.files)},
                   {"hashes", groups_document(kept.hashes)},
                   {"groups", groups_document(kept.groups)},
                   {"classes", KeptJson::array()},
                   {"layers", KeptJson::array()}};
  for (const Influences::Class& one : kept.classes) json["classes"].push_back({one.name, one.inputs});
  for (const LayerResponses& layer : kept.layers) json["layers"].push_back({layer.layer, layer.zero_inputs});
  return json;
}

Influences influences_in(const KeptJson& json) {
  Influences kept;
  json.at("concepts").get_to(kept.concepts);
  json.at("relative").get_to(kept.relative);
  json.at("columns").get_to(kept.columns);
  json.at("strata").get_to(kept.strata);
  kept.files = groups_in(json.at("files"));
  kept.hashes = groups_in(json.at("hashes"));
  kept.groups = groups_in(json.at("groups"));
  for (const KeptJson& one : json.at("classes")) kept.classes.push_back({one.at(0), one.at(1)});
  for (const KeptJson& one : json.at("layers")) {
    LayerResponses layer;
    one.at(0).get_to(layer.layer);
    one.at(1).get_to(layer.zero_inputs);
    kept.layers.push_back(std::move(layer));
  }
  return kept;
}

std::string set_name(const Influences& kept, std::size_t set) {
  return set == 0 ? "random" : "concept " + kept.concepts[set - 1];
}

// Every matrix with the name of its tensor.
template <typename Kept, typename Use>
void each_tensor(Kept& kept, Use use) {
  for (std::size_t l = 0; l < kept.layers.size(); ++l) {
    auto& layer = kept.layers[l];
    const std::string begin = layer.layer + "/";
    for (std::size_t s = 0; s < layer.sets.size(); ++s) use(begin + set_name(kept, s), layer.sets[s]);
    use(begin + "pool", layer.pool);
    use(begin + "pool products", layer.pool_products);
  }
  use("labels", kept.labels);
}

void check_shapes(const Influences& kept, const std::string& path) {
  Index inputs = 0;
  for (const Influences::Class& one : kept.classes) inputs += one.inputs;
  for (const LayerResponses& layer : kept.layers) {
    bool fits = layer.zero_inputs.size() == kept.classes.size();
    for (const Matrix& set : layer.sets) fits = fits && set.rows() == inputs && set.cols() > 1;
    if (layer.pool.size() > 0)
      fits = fits && layer.pool.rows() == inputs && layer.pool.cols() == kept.labels.rows() &&
             kept.labels.cols() == std::ssize(kept.columns);
    if (layer.pool_products.size() > 0) fits = fits && layer.pool_products.cols() == layer.pool.cols();
    if (!fits)
      data::fail_file(kInfluences, path, "has tensors of '{}' that do not fit together", layer.layer);
  }
}

}  // namespace

std::shared_ptr<const Influences> keep_influences(std::span<const LayerData> layers, RowGroups hashes) {
  auto kept = std::make_shared<Influences>();
  const LayerData& first = layers.front();
  for (const LayerNames::Class& one : first.names.classes) kept->classes.push_back({one.name, one.inputs});
  if (first.pass) kept->concepts = first.names.concepts;
  kept->relative = first.names.relative;
  if (first.labels) {
    kept->columns = first.labels->columns;
    kept->labels = first.labels->values;
  }
  if (first.files) kept->files = *first.files;
  if (first.groups) kept->groups = *first.groups;
  if (first.strata) kept->strata = *first.strata;
  kept->hashes = std::move(hashes);
  for (const LayerData& data : layers) {
    LayerResponses layer;
    layer.layer = data.names.layer;
    if (data.pass) {
      for (const pass::SetPass& set : data.pass->sets) layer.sets.push_back(set.projections.values);
    }
    if (data.pool) layer.pool = data.pool->sets[0].projections.values;
    layer.pool_products = data.pool_products;
    for (std::size_t k = 0; k < data.names.classes.size(); ++k)
      layer.zero_inputs.push_back(data.zero_gradients(k));
    kept->layers.push_back(std::move(layer));
  }
  return kept;
}

LayerData kept_layer(const Influences& influences, std::size_t number) {
  const LayerResponses& kept = influences.layers[number];
  LayerData layer;
  layer.names.layer = kept.layer;
  layer.names.concepts = influences.concepts;
  layer.names.relative = influences.relative;
  for (const Influences::Class& one : influences.classes)
    layer.names.classes.push_back({one.name, one.inputs});
  const auto pass_over = [](const std::vector<Matrix>& sets) {
    pass::Pass pass;
    for (const Matrix& values : sets) {
      pass::SetPass set;
      set.projections.values = values;
      set.projections.weights = Vector::Ones(values.cols());
      pass.sets.push_back(std::move(set));
    }
    return pass;
  };
  if (!kept.sets.empty()) layer.pass = pass_over(kept.sets);
  if (kept.pool.size() > 0) {
    layer.pool = pass_over({kept.pool});
    layer.pool_products = kept.pool_products;
    auto labels = std::make_shared<PoolLabels>();
    labels->columns = influences.columns;
    labels->values = influences.labels;
    labels->groups = influences.groups.pool;
    layer.labels = std::move(labels);
  }
  layer.zero_inputs = kept.zero_inputs;
  layer.files = std::make_shared<RowGroups>(influences.files);
  const RowGroups& groups = influences.groups;
  if (!groups.sets.empty() || !groups.pool.empty() || !groups.classes.empty())
    layer.groups = std::make_shared<RowGroups>(groups);
  if (!influences.strata.empty())
    layer.strata = std::make_shared<std::vector<std::string>>(influences.strata);
  return layer;
}

std::string influences_file(const Influences& influences, const std::string& results_sha256) {
  std::map<std::string, data::TensorView> tensors;
  each_tensor(influences, [&](const std::string& name, const Matrix& values) {
    if (values.size() > 0) tensors.emplace(name, data::TensorView(values));
  });
  const std::string document =
      document_of(influences).dump(-1, ' ', false, KeptJson::error_handler_t::replace);
  return data::safetensors_text(tensors,
                                {{"atcav", kVersion}, {"kept", document}, {"results", results_sha256}});
}

Influences read_influences(const std::string& path, const std::string& results_sha256) {
  const data::Safetensors file = data::read_safetensors(data::open_file(path));
  const auto about = file.metadata.find("kept");
  const auto results = file.metadata.find("results");
  if (about == file.metadata.end() || results == file.metadata.end())
    data::fail_file(kInfluences, path, "was not written by atcav with --influences");
  if (results->second != results_sha256)
    data::fail_file(kInfluences, path, "belongs to other results than the results.json beside it");
  try {
    Influences kept = influences_in(KeptJson::parse(about->second));
    const std::size_t sets = kept.concepts.empty() ? 0 : kept.concepts.size() + 1;
    for (LayerResponses& layer : kept.layers) layer.sets.resize(sets);
    each_tensor(kept, [&](const std::string& name, Matrix& values) {
      if (const auto found = file.tensors.find(name); found != file.tensors.end())
        values = found->second.read_double();
    });
    check_shapes(kept, path);
    return kept;
  } catch (const KeptJson::exception& error) {
    data::fail_file(kInfluences, path, "does not say what its tensors are ({})", error.what());
  }
}

}  // namespace atcav
