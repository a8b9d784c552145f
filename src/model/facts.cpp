#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "atcav/model.h"

namespace atcav::model {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InputInfo, name, shape, is_integer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Layer, name, node, op, path, shape, size, pooled_size, channels_first)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Module, name, type, layer, note)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Facts, inputs, layers, modules, logits, logit_count, notes, hash, files)

namespace {

using Json = nlohmann::json;

// Names are any bytes and JSON is UTF-8: each byte becomes the character of its number.
std::string bytes_to_utf8(const std::string& bytes) {
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x80) text += static_cast<char>(0xC0 | byte >> 6);
    text += static_cast<char>(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte);
  }
  return text;
}

std::string utf8_to_bytes(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    const bool pair = first >= 0xC0 && i + 1 < text.size();
    bytes += pair ? static_cast<char>(first << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F)) : text[i];
  }
  return bytes;
}

void each_text(Json& json, std::string (*change)(const std::string&)) {
  if (json.is_string()) json = change(json.get<std::string>());
  if (!json.is_structured()) return;
  for (Json& part : json) each_text(part, change);
}

// Whatever is behind the facts relies on this.
bool makes_sense(const Facts& facts) {
  const auto is_layer = [](const Layer& layer) {
    Index size = 1;
    for (const Index side : layer.shape) {
      if (side < 0 || __builtin_mul_overflow(size, side, &size)) return false;
    }
    return layer.size == size && layer.pooled_size >= 0 && layer.pooled_size <= size &&
           (size == 0 || (layer.pooled_size > 0 && size % layer.pooled_size == 0));
  };
  const auto is_module = [&](const Module& module) { return module.layer < facts.layers.size(); };
  const auto is_input = [](const InputInfo& input) { return !input.shape.empty(); };
  return facts.logit_count >= 0 && !facts.inputs.empty() && std::ranges::all_of(facts.inputs, is_input) &&
         std::ranges::all_of(facts.layers, is_layer) && std::ranges::all_of(facts.modules, is_module);
}

}  // namespace

std::string write_facts(const Facts& facts) {
  Json json = facts;
  each_text(json, bytes_to_utf8);
  return json.dump();
}

Facts read_facts(const std::string& text) {
  try {
    Json json = Json::parse(text).get<Facts>();  // without what else is in the text
    each_text(json, utf8_to_bytes);
    auto facts = json.get<Facts>();
    if (makes_sense(facts)) return facts;
  } catch (const nlohmann::json::exception&) {
    // Below.
  }
  throw std::runtime_error("[read_facts] these are not the facts of a model");
}

}  // namespace atcav::model
