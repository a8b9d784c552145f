#include "atcav/model/facts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "atcav/model/model.h"

namespace atcav::model {

using Json = nlohmann::json;

ModelFacts facts_of(const Model& model) {
  ModelFacts facts{model.inputs(), model.layers(), {}, model.logits(), model.logit_count(), model.notes()};
  for (std::size_t layer = 0; layer < facts.layers.size(); ++layer)
    facts.pooled_columns.push_back(model.columns(layer, Pool::mean));
  return facts;
}

std::string write_facts(const ModelFacts& facts) {
  Json json{{"logits", facts.logits},  {"logit_count", facts.logit_count},
            {"notes", facts.notes},    {"pooled_columns", facts.pooled_columns},
            {"inputs", Json::array()}, {"layers", Json::array()}};
  for (const InputInfo& input : facts.inputs)
    json["inputs"].push_back({input.name, input.shape, input.is_integer});
  for (const Layer& layer : facts.layers)
    json["layers"].push_back({layer.name, layer.node, layer.op, layer.path, layer.shape, layer.size});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ModelFacts read_facts(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    ModelFacts facts;
    facts.logits = json.at("logits");
    facts.logit_count = json.at("logit_count");
    facts.notes = json.at("notes").get<std::vector<std::string>>();
    facts.pooled_columns = json.at("pooled_columns").get<std::vector<Index>>();
    for (const Json& input : json.at("inputs"))
      facts.inputs.push_back({input.at(0), input.at(1).get<std::vector<Index>>(), input.at(2)});
    for (const Json& layer : json.at("layers")) {
      facts.layers.push_back({layer.at(0), layer.at(1), layer.at(2), layer.at(3),
                              layer.at(4).get<std::vector<Index>>(), layer.at(5)});
    }
    if (facts.pooled_columns.size() == facts.layers.size()) return facts;
  } catch (const Json::exception&) {
    // Below.
  }
  throw std::runtime_error("[read_facts] these are not the facts of a model");
}

}  // namespace atcav::model
