#include "report/columns.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "data/image/encode_image.h"

namespace atcav::report {
namespace {

using PageJson = nlohmann::ordered_json;

std::optional<PageJson> repeating(const std::vector<double>& places, std::size_t period) {
  const auto change = std::ranges::find_if(places, [](double place) { return place != 0; });
  const auto run = std::max<std::ptrdiff_t>(1, change - places.begin());
  for (std::ptrdiff_t i = 0; i < std::ssize(places); ++i) {
    if (places[i] != static_cast<double>(i / run % static_cast<std::ptrdiff_t>(period))) return std::nullopt;
  }
  return PageJson{{"length", places.size()}, {"run", run}, {"period", period}};
}

std::optional<PageJson> by_value(const std::vector<double>& values) {
  constexpr std::size_t kMost = 256;
  std::map<std::uint64_t, std::size_t> known;
  std::vector<double> list;
  std::string places;
  for (const double value : values) {
    const auto [at, added] = known.try_emplace(std::bit_cast<std::uint64_t>(value), known.size());
    if (added) list.push_back(value);
    if (known.size() > kMost) return std::nullopt;
    places += static_cast<char>(at->second);
  }
  PageJson json = {
      {"length", values.size()}, {"values", PageJson::array()}, {"places", data::base64(places)}};
  for (const double value : list) json["values"].push_back(compact(value));
  return json;
}

// The unit is a power of two with which the largest is near the end of what halves reach.
PageJson in_halves(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values)
    largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
  const double unit = largest > 0 ? std::exp2(std::ceil(std::log2(largest)) - 15) : 1;
  std::string bytes;
  for (const double value : values) {
    const std::uint16_t half = Eigen::half(static_cast<float>(value / unit)).x;
    bytes += static_cast<char>(half & 0xFFU);
    bytes += static_cast<char>(half >> 8U);
  }
  return {{"length", values.size()}, {"unit", unit}, {"halves", data::base64(bytes)}};
}

PageJson packed(const std::vector<double>& values, std::size_t names) {
  if (names > 0) {
    if (auto json = repeating(values, names)) return std::move(*json);
  }
  if (auto json = by_value(values)) return std::move(*json);
  if (names > 0) return values;
  return in_halves(values);
}

}  // namespace

PageJson compact(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

Columns::Column& Columns::column(const std::string& key) {
  const auto found = std::ranges::find(columns_, key, &Column::key);
  if (found != columns_.end()) return *found;
  columns_.push_back({key, {}});
  return columns_.back();
}

void Columns::add(const std::string& key, double value, const stats::Interval& ends) {
  add(key, value);
  add(key + "_low", ends.low);
  add(key + "_high", ends.high);
}

void Columns::add_name(const std::string& key, const std::string& name) {
  Column& own = column(key);
  const auto [found, added] = own.places.try_emplace(name, own.names.size());
  if (added) own.names.push_back(name);
  own.values.push_back(static_cast<double>(found->second));
}

PageJson Columns::names() const {
  PageJson json;
  for (const Column& one : columns_) {
    if (!one.names.empty()) json[one.key] = one.names;
  }
  return json;
}

PageJson Columns::columns() const {
  PageJson json;
  for (const Column& one : columns_) {
    if (one.values.size() > kPackedFrom) {
      json[one.key] = packed(one.values, one.names.size());
      continue;
    }
    for (const double value : one.values)
      json[one.key].push_back(one.names.empty() ? compact(value) : PageJson(static_cast<std::size_t>(value)));
  }
  return json;
}

}  // namespace atcav::report
