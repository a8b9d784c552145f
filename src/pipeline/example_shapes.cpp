#include "pipeline/example_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "data/array/open_array.h"
#include "data/array/safetensors.h"
#include "data/file/paths.h"

namespace atcav {

ExampleShapes example_shapes(const Config& config) {
  if (!config.shape.empty()) return {{config.shape}, {}};
  std::vector<std::string> paths;
  for (const ClassSet& set : config.classes) paths.push_back(set.path);
  paths.push_back(config.random);
  const auto is_folder = [](const std::string& path) {
    return path.empty() || std::filesystem::is_directory(path);
  };
  const auto path = std::ranges::find_if_not(paths, is_folder);
  ExampleShapes shapes;
  if (path == paths.end()) return shapes;
  const auto of_one = [](const data::Array& array) {
    return std::vector<Index>(array.shape().begin() + (array.shape().empty() ? 0 : 1), array.shape().end());
  };
  try {
    if (path->ends_with(".safetensors")) {
      for (const auto& [name, array] :
           data::read_safetensors(data::open_file(data::expand_pattern(*path).front())).tensors) {
        shapes.by_name[name] = of_one(array);
        shapes.by_position = {of_one(array)};
      }
      if (shapes.by_name.size() > 1) shapes.by_position.clear();
      return shapes;
    }
    std::stringstream list(*path);
    for (std::string part; std::getline(list, part, ',');)
      shapes.by_position.push_back(of_one(data::open_array(part)));
  } catch (const std::exception&) {
    return {};
  }
  return shapes;
}

std::string shapes_text(const ExampleShapes& shapes) {
  std::string text;
  for (const auto& shape : shapes.by_position) text += fmt::format("{};", fmt::join(shape, ","));
  for (const auto& [name, shape] : shapes.by_name) text += fmt::format("{} {};", name, fmt::join(shape, ","));
  return text;
}

}  // namespace atcav
