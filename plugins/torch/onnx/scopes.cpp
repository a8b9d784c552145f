#include "plugins/torch/onnx/scopes.h"

#include <algorithm>
#include <utility>

#include "model/find_layer.h"

namespace atcav::onnx {
namespace {

// The texts of a list as Python prints it.
std::vector<std::string> quoted_texts(std::string_view list) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char quote = list[i];
    if (quote != '\'' && quote != '"') continue;
    std::string text;
    for (++i; i < list.size() && list[i] != quote; ++i) {
      if (list[i] == '\\' && i + 1 < list.size()) ++i;
      text += list[i];
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

std::vector<Scope> metadata_scopes(std::string_view name_scopes, std::string_view class_hierarchy) {
  const std::vector<std::string> names = quoted_texts(name_scopes);
  const std::vector<std::string> types = quoted_texts(class_hierarchy);
  std::vector<Scope> scopes;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    // '' is the whole network; what begins with '_empty' marks nodes of none.
    if (names[i].empty() || names[i].starts_with("_empty")) continue;
    const std::string type = i < types.size() ? types[i] : "";
    scopes.push_back({names[i], type.substr(type.rfind('.') + 1)});
  }
  return scopes;
}

std::vector<Scope> name_scopes(std::string_view node_name) {
  constexpr std::ptrdiff_t kMost = 64;
  if (!node_name.starts_with('/') || std::ranges::count(node_name, '/') > kMost) return {};
  std::vector<Scope> scopes;
  for (std::string& module :
       model::modules_in_path(node_name.substr(0, node_name.rfind('/'))))  // without the op
    scopes.push_back({std::move(module), ""});
  return scopes;
}

std::vector<Scope> scopes_of(const Node& node) {
  return node.scopes.empty() ? name_scopes(node.name) : node.scopes;
}

}  // namespace atcav::onnx
