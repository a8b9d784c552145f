#include "atcav/model/layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "atcav/io/fail.h"

namespace atcav::model {
namespace {

std::string_view without_slashes(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

bool lies_under(const std::string& path, std::string_view module) {
  const std::string whole = fmt::format("/{}/", path);
  return whole.find(fmt::format("/{}/", std::string(module))) != std::string::npos;
}

// Tensor names, then every module that holds one: what a user may have meant.
std::vector<std::string> all_names(const std::vector<Layer>& layers) {
  std::vector<std::string> names;
  std::set<std::string> modules;
  for (const Layer& layer : layers) {
    names.push_back(layer.name);
    for (std::size_t end = layer.path.find('/'); !layer.path.empty(); end = layer.path.find('/', end + 1)) {
      modules.insert(layer.path.substr(0, end));
      if (end == std::string::npos) break;
    }
  }
  names.insert(names.end(), modules.begin(), modules.end());
  return names;
}

}  // namespace

std::string module_path(std::string_view node) {
  const auto last = node.rfind('/');
  return last == std::string_view::npos ? "" : std::string(without_slashes(node.substr(0, last)));
}

std::size_t find_layer(const std::vector<Layer>& layers, std::string_view text) {
  const auto position = [&](auto found) { return static_cast<std::size_t>(found - layers.begin()); };
  auto found =
      std::find_if(layers.begin(), layers.end(), [&](const Layer& layer) { return layer.name == text; });
  if (found != layers.end()) return position(found);
  found = std::find_if(layers.begin(), layers.end(),
                       [&](const Layer& layer) { return !text.empty() && layer.node == text; });
  if (found != layers.end()) return position(found);
  const std::string_view module = without_slashes(text);
  for (std::size_t i = layers.size(); !module.empty() && i-- > 0;) {
    if (lies_under(layers[i].path, module)) return i;
  }
  throw std::invalid_argument(fmt::format("[find_layer] there is no layer '{}'; closest: {}",
                                          std::string(text), io::closest_names(text, all_names(layers))));
}

}  // namespace atcav::model
