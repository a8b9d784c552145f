#include "apps/cli/ridge_description.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "atcav/theory.h"
#include "data/array/open_array.h"

namespace atcav::cli {
namespace {

[[noreturn]] void fail(const YAML::Node& node, const std::string& message) {
  const YAML::Mark mark = node.Mark();
  const std::string place = mark.is_null() ? "" : fmt::format(" (line {})", mark.line + 1);
  throw std::runtime_error(fmt::format("[ridge description] {}{}", message, place));
}

// A map with exactly these keys.
void check_keys(const YAML::Node& map, const std::string& name, const std::vector<std::string>& keys) {
  if (!map.IsMap()) fail(map, fmt::format("{} must have the keys {}", name, fmt::join(keys, ", ")));
  for (const auto& entry : map) {
    const std::string key = entry.first.Scalar();
    if (std::ranges::find(keys, key) == keys.end()) {
      fail(entry.first,
           fmt::format("unknown key '{}' in {}; known are {}", key, name, fmt::join(keys, ", ")));
    }
  }
  for (const std::string& key : keys) {
    if (!map[key]) fail(map, fmt::format("{} lacks the key '{}'", name, key));
  }
}

template <typename T>
T value_of(const YAML::Node& node, const std::string& name) {
  try {
    return node.as<T>();
  } catch (const YAML::Exception&) {
    fail(node, fmt::format("{} is not what was expected there", name));
  }
}

bool is_number(const YAML::Node& node) {
  double ignored = 0;
  return node.IsScalar() && YAML::convert<double>::decode(node, ignored);
}

// One number, a list of numbers or a list of such lists as a matrix.
Matrix values_of(const YAML::Node& node, const std::string& name) {
  if (is_number(node)) return Matrix::Constant(1, 1, node.as<double>());
  if (!node.IsSequence() || node.size() == 0)
    fail(node, fmt::format("{} must be a number, a list or an array file", name));
  const bool nested = node[0].IsSequence();
  Matrix values;
  for (std::size_t i = 0; i < node.size(); ++i) {
    const auto row = nested ? value_of<std::vector<double>>(node[i], name)
                            : std::vector<double>{value_of<double>(node[i], name)};
    if (i == 0) values.resize(std::ssize(node), std::ssize(row));
    if (std::ssize(row) != values.cols()) fail(node[i], fmt::format("the rows of {} differ in length", name));
    for (std::size_t j = 0; j < row.size(); ++j)
      values(static_cast<Index>(i), static_cast<Index>(j)) = row[j];
  }
  return values;
}

Matrix numbers_or_file(const YAML::Node& node, const std::string& name, const std::string& folder) {
  if (!node.IsScalar() || is_number(node)) return values_of(node, name);
  Matrix values = data::open_array((std::filesystem::path(folder) / node.Scalar()).string()).read_double();
  // A vector saved as one row means the same as one saved as a column.
  if (values.rows() == 1) return values.transpose();
  return values;
}

Vector parse_mean(const YAML::Node& node, const std::string& name, Index d, const std::string& folder) {
  const Matrix values = numbers_or_file(node, name, folder);
  if (values.size() == 1) return Vector::Constant(d, values(0, 0));
  if (values.cols() != 1 || values.rows() != d) {
    fail(node, fmt::format("{} is {} × {}, must be one number or {} of them", name, values.rows(),
                           values.cols(), d));
  }
  return values.col(0);
}

Matrix parse_covariance(const YAML::Node& node, const std::string& name, Index d, const std::string& folder) {
  if (node.IsMap()) {
    check_keys(node, name, {"toeplitz"});
    return stats::toeplitz_covariance(d, value_of<double>(node["toeplitz"], name));
  }
  Matrix values = numbers_or_file(node, name, folder);
  if (values.size() == 1) return values(0, 0) * Matrix::Identity(d, d);
  if (values.rows() == d && values.cols() == 1) return values.col(0).asDiagonal();
  if (values.rows() == d && values.cols() == d) return values;
  fail(node, fmt::format("{} is {} × {}, must be one number, {} of them, {} × {} or {{toeplitz: rho}}", name,
                         values.rows(), values.cols(), d, d, d));
}

stats::ClassLaw parse_class(const YAML::Node& node, const std::string& name, Index d,
                            const std::string& folder) {
  check_keys(node, name, {"mean", "covariance"});
  return {parse_mean(node["mean"], name + " mean", d, folder),
          parse_covariance(node["covariance"], name + " covariance", d, folder)};
}

}  // namespace

RidgeDescription parse_ridge_description(const std::string& yaml, const std::string& folder) {
  YAML::Node root;
  try {
    root = YAML::Load(yaml);
  } catch (const YAML::Exception& error) {
    throw std::runtime_error(fmt::format("[ridge description] {}", error.what()));
  }
  check_keys(root, "the description", {"d", "n_random", "n_concept", "lambda", "random", "concept"});
  const Index d = value_of<Index>(root["d"], "d");
  if (d < 1) fail(root["d"], fmt::format("d is {}, must be at least 1", d));
  RidgeDescription description;
  description.classes.random = parse_class(root["random"], "random", d, folder);
  description.classes.of_concept = parse_class(root["concept"], "concept", d, folder);
  description.classes.n_random = value_of<Index>(root["n_random"], "n_random");
  description.classes.n_concept = value_of<Index>(root["n_concept"], "n_concept");
  const Matrix lambdas = values_of(root["lambda"], "lambda");
  description.lambdas.assign(lambdas.data(), lambdas.data() + lambdas.size());
  return description;
}

RidgeDescription read_ridge_description(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error(fmt::format("[ridge description] cannot read {}", path));
  return parse_ridge_description(text, std::filesystem::path(path).parent_path().string());
}

}  // namespace atcav::cli
