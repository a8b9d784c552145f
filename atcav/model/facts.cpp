#include "atcav/model/facts.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace atcav::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InputInfo, name, shape, is_integer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Layer, name, node, op, path, shape, size, pooled_size, channels_first)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Module, name, type, layer, note)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Facts, inputs, layers, modules, logits, logit_count, notes, hash, files)

std::string write_facts(const Facts& facts) {
  using Json = nlohmann::json;
  return Json(facts).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Facts read_facts(const std::string& text) {
  try {
    return nlohmann::json::parse(text).get<Facts>();
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error("[read_facts] these are not the facts of a model");
  }
}

}  // namespace atcav::model
