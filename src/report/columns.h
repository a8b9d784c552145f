#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "atcav/interval.h"

// The page's results as one list per field, so that a name is written once for all results.
//
//   Columns columns;
//   columns.add_name("concept", "striped");       // its place among the names
//   columns.add("effect", 0.7, {0.2, 1.2});       // effect, effect_low, effect_high
//
// Of more than kPackedFrom results columns are packed, as {length, …} of one kind (assets/results.js):
//   run, period     places that repeat: (i div run) mod period, as those of results in their order are
//   values, places  at most 256 different numbers, and where each result's is among them, as bytes in base64
//   halves, unit    IEEE half precision times the unit: three digits
// 200,000 results are then 7 MB instead of 35.
namespace atcav::report {

// JSON with five digits at most; null for what is not finite.
nlohmann::ordered_json compact(double value);

class Columns {
 public:
  static constexpr std::size_t kPackedFrom = 5000;

  void add(const std::string& key, double value) { column(key).values.push_back(value); }
  void add(const std::string& key, double value, const stats::Interval& ends);
  void add_name(const std::string& key, const std::string& name);
  nlohmann::ordered_json names() const;
  nlohmann::ordered_json columns() const;

 private:
  struct Column {
    std::string key;
    std::vector<double> values;
    std::vector<std::string> names = {};  // of places
    std::unordered_map<std::string, std::size_t> places = {};
  };
  Column& column(const std::string& key);

  std::vector<Column> columns_;  // in the order in which they came
};

}  // namespace atcav::report
