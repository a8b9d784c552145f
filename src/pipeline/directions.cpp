#include "pipeline/directions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "atcav/version.h"
#include "data/array/safetensors.h"
#include "data/file/fail.h"
#include "data/file/reader.h"
#include "data/file/sha256.h"

namespace atcav {
namespace {

constexpr const char* kFunction = "cavs";

using Named = std::map<std::string, Vector>;  // by concept

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    result.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return result.append(text);
}

std::string full_name(const std::string& layer, const std::string& concept_name) {
  return data::quote(layer + "/" + concept_name);
}

// Where the layer's name ends in a tensor's; npos when the tensor belongs to none of `layers`.
std::size_t layer_end(const std::string& name, const std::vector<std::string>& layers,
                      const std::string& file) {
  if (layers.empty()) {
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == name.size())
      data::fail_file(kFunction, file, "tensor {} must be LAYER/CONCEPT", data::quote(name));
    return slash;
  }
  std::size_t longest = std::string::npos;
  for (const std::string& layer : layers) {
    const bool fits = name.size() > layer.size() + 1 && name.starts_with(layer) && name[layer.size()] == '/';
    if (fits && (longest == std::string::npos || layer.size() > longest)) longest = layer.size();
  }
  return longest;
}

Vector read_direction(const data::Array& array, const std::string& name, const std::string& file) {
  if (data::is_integer(array.dtype())) {
    data::fail_file(kFunction, file, "tensor {} is {}, must be floats", data::quote(name),
                    data::dtype_name(array.dtype()));
  }
  if (array.shape().empty() || array.size() == 0)
    data::fail_file(kFunction, file, "tensor {} has no values in a row", data::quote(name));
  const Matrix values = array.read_double();
  Vector direction = Eigen::Map<const Vector>(values.data(), values.size());
  for (Index i = 0; i < direction.size(); ++i) {
    if (!std::isfinite(direction[i])) {
      data::fail_file(kFunction, file, "tensor {} is {} at value {}, must be finite", data::quote(name),
                      direction[i], i);
    }
  }
  if (direction.isZero(0))
    data::fail_file(kFunction, file, "tensor {} is zero in all {} values, must be a direction",
                    data::quote(name), direction.size());
  return direction;
}

struct DecoderKey {
  const char* name;
  bool by_row;  // a feature is a row
};
constexpr std::array kDecoderKeys = {DecoderKey{"W_dec", true}, DecoderKey{"dictionary._weights", true},
                                     DecoderKey{"decoder.weight", false}};

const DecoderKey* decoder_key(const data::Safetensors& file) {
  for (const DecoderKey& key : kDecoderKeys) {
    if (file.tensors.contains(key.name)) return &key;
  }
  return nullptr;
}

LayerDirections decoder_of(const data::Safetensors& file, const DecoderKey& key, const std::string& path,
                           const std::string& layer) {
  const data::Array& array = file.tensor(key.name);
  if (array.shape().size() != 2 || data::is_integer(array.dtype()))
    data::fail_file(kFunction, path, "tensor {} must be a matrix of floats", data::quote(key.name));
  Matrix rows = array.read_double();
  if (!key.by_row) rows = rows.transpose().eval();
  const auto digits = std::to_string(std::max<Index>(rows.rows() - 1, 0)).size();
  LayerDirections found{layer, {}, {}};
  Index kept = 0;
  for (Index feature = 0; feature < rows.rows(); ++feature) {
    if (!rows.row(feature).allFinite())
      data::fail_file(kFunction, path, "feature {} has a value that is not finite", feature);
    if (rows.row(feature).isZero(0)) continue;
    rows.row(kept++) = rows.row(feature);
    found.concepts.push_back(fmt::format("{:0{}}", feature, digits));
  }
  if (kept == 0) data::fail_file(kFunction, path, "tensor {} has no feature", data::quote(key.name));
  found.rows = rows.topRows(kept);
  return found;
}

LayerDirections stacked(const std::string& layer, const Named& named, const std::string& file) {
  LayerDirections found{layer, {}, Matrix(named.size(), named.begin()->second.size())};
  for (const auto& [concept_name, direction] : named) {
    if (direction.size() != found.rows.cols()) {
      data::fail_file(kFunction, file, "tensor {} has {} values, {} has {}", full_name(layer, concept_name),
                      direction.size(), full_name(layer, found.concepts.front()), found.rows.cols());
    }
    found.rows.row(std::ssize(found.concepts)) = direction.transpose();
    found.concepts.push_back(concept_name);
  }
  return found;
}

Directions directions_in(const data::ReaderPtr& reader, const std::vector<std::string>& layers) {
  const std::string path = reader->name();
  const data::Safetensors file = data::read_safetensors(reader);
  Directions directions{path, data::sha256(reader->read_all()), "", {}};
  const DecoderKey* decoder = decoder_key(file);
  if (decoder != nullptr) {
    if (layers.size() != 1) {
      data::fail_file(kFunction, path, "tensor {} is a decoder, whose layer must be named, one",
                      data::quote(decoder->name));
    }
    directions.layers.push_back(decoder_of(file, *decoder, path, layers.front()));
    const Index all = file.tensor(decoder->name).shape()[decoder->by_row ? 0 : 1];
    const Index kept = directions.layers.front().rows.rows();
    if (kept < all)
      directions.notes.push_back(
          fmt::format("{} of {} features are zero and were left out", all - kept, all));
    return directions;
  }
  std::map<std::string, Named> by_layer;
  for (const auto& [name, array] : file.tensors) {
    const std::size_t end = layer_end(name, layers, path);
    if (end == std::string::npos) continue;
    std::string concept_name = name.substr(end + 1);
    if (file.metadata.contains("atcav")) {
      concept_name = replaced(replaced(concept_name, "%2F", "/"), "%25", "%");
    }
    by_layer[name.substr(0, end)][concept_name] = read_direction(array, name, path);
  }
  const auto model = file.metadata.find("model");
  if (model != file.metadata.end()) directions.model_sha256 = model->second;
  if (layers.empty()) {
    if (by_layer.empty()) data::fail_file(kFunction, path, "has no tensors");
    for (const auto& [layer, named] : by_layer) directions.layers.push_back(stacked(layer, named, path));
  }
  for (const std::string& layer : layers) {
    const auto named = by_layer.find(layer);
    if (named == by_layer.end()) {
      data::fail_file(kFunction, path, "has no tensor {}; it has {}", data::quote(layer + "/…"),
                      data::closest_names(layer, file.names()));
    }
    directions.layers.push_back(stacked(layer, named->second, path));
  }
  return directions;
}

}  // namespace

Directions read_directions(const std::string& path, const std::vector<std::string>& layers) {
  return directions_in(data::read_memory(data::read_file(path), path), layers);
}

Directions read_directions(std::string bytes, const std::string& name,
                           const std::vector<std::string>& layers) {
  return directions_in(data::read_memory(std::move(bytes), name), layers);
}

LayerDirections read_decoder(const std::string& path, const std::string& layer) {
  const data::Safetensors file = data::read_safetensors(data::read_memory(data::read_file(path), path));
  const DecoderKey* key = decoder_key(file);
  if (key == nullptr) {
    data::fail_file(kFunction, path,
                    "has no decoder: no tensor W_dec, dictionary._weights or decoder.weight");
  }
  return decoder_of(file, *key, path, layer);
}

std::vector<std::string> notes_about(const Directions& directions, const std::string& model_sha256) {
  std::vector<std::string> notes = directions.notes;
  notes.emplace_back(
      "directions were given: intervals and p-values hold the error from having drawn these inputs alone; "
      "the "
      "noise of a CAV, Multi-TCAV and accuracy need its examples (a run with --concept, --random and "
      "--cache)");
  if (!directions.model_sha256.empty() && directions.model_sha256 != model_sha256) {
    notes.push_back(fmt::format(
        "the directions in {} were found in another model (SHA-256 {:.12}…, this one has {:.12}…): they may "
        "mean nothing here",
        directions.file, directions.model_sha256, model_sha256));
  }
  return notes;
}

void check_columns(const Directions& directions, const LayerDirections& layer, Index columns) {
  if (layer.rows.cols() == columns) return;
  data::fail_file(kFunction, directions.file,
                  "tensor {} has {} values, the layer has {} columns (--pool=mean leaves channels)",
                  full_name(layer.layer, layer.concepts.front()), layer.rows.cols(), columns);
}

std::string directions_file(const std::vector<NamedDirection>& directions,
                            std::map<std::string, std::string> metadata) {
  std::map<std::string, data::TensorView> tensors;
  for (const NamedDirection& one : directions) {
    const std::string concept_name = replaced(replaced(one.concept_name, "%", "%25"), "/", "%2F");
    tensors.emplace(fmt::format("{}/{}", one.layer, concept_name),
                    data::TensorView(one.values, {std::ssize(one.values)}));
  }
  metadata.emplace("atcav", kVersion);
  return data::safetensors_text(tensors, metadata);
}

std::string cavs_file(const RunResult& result) {
  std::vector<NamedDirection> directions;
  for (const LayerCavs& layer : result.cavs) {
    for (std::size_t c = 0; c < layer.concepts.size(); ++c) {
      const auto row = layer.directions.row(static_cast<Index>(c));
      directions.push_back(
          {layer.layer, layer.concepts[c], {row.data(), static_cast<std::size_t>(row.size())}});
    }
  }
  std::map<std::string, std::string> metadata = {{"cav", std::string(stats::name(result.options.cav.method))},
                                                 {"towards", "the concept"}};
  for (const Input& input : result.inputs) {
    if (input.role.kind == Role::Kind::kModel) metadata["model"] = input.sha256;
  }
  return directions_file(directions, std::move(metadata));
}

}  // namespace atcav
