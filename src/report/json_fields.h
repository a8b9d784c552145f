#pragma once

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "atcav/interval.h"

// A part of results.json is described once; the description writes it and reads it back:
//
//   void describe(auto& json, MeanAndSd& part) {
//     json("mean", part.mean);
//     json("sd", part.sd);
//   }
//
// JsonWriter fills an object in this order and changes nothing of the part, JsonReader fills the part. JSON
// has no infinity: null stands for it, and for an optional without a value.
namespace atcav::report {

using Json = nlohmann::ordered_json;

template <typename Part>
Json write_json(const Part& part);
template <typename Part>
void read_json(const Json& json, Part& part, double infinite = HUGE_VAL);

template <typename Io, typename Part>
concept Described = requires(Io& json, Part& part) {
  describe(json, part);
};

class JsonWriter {
 public:
  // A number, a text, a list, a map, an optional or a described part. `infinite` is what null stands for.
  template <typename Value>
  void operator()(const char* key, const Value& value, double /*infinite*/ = HUGE_VAL) {
    json[key] = write_json(value);
  }
  void ends(const stats::Interval& interval, const char* low = "low", const char* high = "high") {
    (*this)(low, interval.low);
    (*this)(high, interval.high);
  }
  // Missing where there is nothing.
  template <typename Value>
  void if_any(const char* key, const std::optional<Value>& value) {
    if (value) (*this)(key, *value);
  }
  template <typename Value>
  void unless_empty(const char* key, const Value& value) {
    if (!value.empty()) (*this)(key, value);
  }
  // An enum or a bool by its word.
  template <typename Choice, std::size_t Count>
  void word(const char* key, Choice value, const std::array<const char*, Count>& words) {
    json[key] = words.at(static_cast<std::size_t>(value));
  }
  // Written, and not read.
  void only_written(const char* key, const auto& value) { json[key] = value; }
  // Whether there is nothing; then null is written.
  bool is_null(const char* key, bool empty) {
    if (empty) json[key] = nullptr;
    return empty;
  }
  // An object with an entry for each of the map's.
  template <typename Value>
  void entries(const char* key, std::map<std::string, Value>& map, const auto& fields) {
    json[key] = Json::object();
    for (auto& [name, value] : map) {
      JsonWriter part;
      fields(part, value);
      json[key][name] = std::move(part.json);
    }
  }
  // An object whose fields are members of something larger.
  void within(const char* key, const auto& fields) {
    JsonWriter part;
    fields(part);
    json[key] = std::move(part.json);
  }
  // A list of what `member` gives of each row.
  template <typename Row>
  void column(const char* key, const std::vector<Row>& rows, const auto& member) {
    json[key] = Json::array();
    for (const Row& row : rows) json[key].push_back(write_json(member(row)));
  }

  Json json = Json::object();
};

class JsonReader {
 public:
  explicit JsonReader(const Json& from) : json(from) {}

  bool has(const char* key) const { return json.contains(key); }
  template <typename Value>
  void operator()(const char* key, Value& value, double infinite = HUGE_VAL) const {
    read_json(json.at(key), value, infinite);
  }
  void ends(stats::Interval& interval, const char* low = "low", const char* high = "high") const {
    (*this)(low, interval.low, -HUGE_VAL);
    (*this)(high, interval.high);
  }
  template <typename Value>
  void if_any(const char* key, std::optional<Value>& value) const {
    if (has(key)) (*this)(key, value);
  }
  template <typename Value>
  void unless_empty(const char* key, Value& value) const {
    if (has(key)) (*this)(key, value);
  }
  template <typename Choice, std::size_t Count>
  void word(const char* key, Choice& value, const std::array<const char*, Count>& words) const {
    const std::string found = json.at(key);
    for (std::size_t i = 0; i < Count; ++i) {
      if (found != words[i]) continue;
      value = static_cast<Choice>(i);
      return;
    }
    throw std::invalid_argument("unknown word " + found);
  }
  void only_written(const char* /*key*/, const auto& /*value*/) const {}
  bool is_null(const char* key, bool /*empty*/) const { return json.at(key).is_null(); }
  template <typename Value>
  void entries(const char* key, std::map<std::string, Value>& map, const auto& fields) const {
    for (const auto& [name, value] : json.at(key).items()) {
      JsonReader part(value);
      fields(part, map[name]);
    }
  }
  void within(const char* key, const auto& fields) const {
    JsonReader part(json.at(key));
    fields(part);
  }
  template <typename Row>
  void column(const char* key, std::vector<Row>& rows, const auto& member) const {
    const Json& list = json.at(key);
    rows.resize(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) read_json(list[i], member(rows[i]));
  }

  const Json& json;
};

// For what only one of the two does: `if constexpr (kReads<decltype(json)>)`.
template <typename Io>
inline constexpr bool kReads = std::is_same_v<std::remove_cvref_t<Io>, JsonReader>;

template <typename Value>
inline constexpr bool kIsOptional = false;
template <typename Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;
template <typename Value>
inline constexpr bool kIsList = false;
template <typename Value>
inline constexpr bool kIsList<std::vector<Value>> = true;

template <typename Part>
Json write_json(const Part& part) {
  if constexpr (Described<JsonWriter, Part>) {
    JsonWriter writer;
    describe(writer, const_cast<Part&>(part));
    return std::move(writer.json);
  } else if constexpr (kIsOptional<Part>) {
    return part ? write_json(*part) : Json();
  } else if constexpr (kIsList<Part>) {
    Json list = Json::array();
    for (const auto& one : part) list.push_back(write_json(one));
    return list;
  } else if constexpr (std::is_same_v<Part, double>) {
    return std::isfinite(part) ? Json(part) : Json();
  } else {
    return part;
  }
}

template <typename Part>
void read_json(const Json& json, Part& part, double infinite) {
  if constexpr (Described<JsonReader, Part>) {
    JsonReader reader(json);
    describe(reader, part);
  } else if constexpr (kIsOptional<Part>) {
    part.reset();
    if (json.is_null()) return;
    typename Part::value_type value{};  // clang 14 has no emplace() for a struct within a struct
    read_json(json, value, infinite);
    part = std::move(value);
  } else if constexpr (kIsList<Part>) {
    part.resize(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) read_json(json[i], part[i], infinite);
  } else if constexpr (std::is_same_v<Part, double>) {
    part = json.is_null() ? infinite : json.get<double>();
  } else {
    json.get_to(part);
  }
}

}  // namespace atcav::report
