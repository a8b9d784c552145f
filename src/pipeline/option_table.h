#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "atcav/config.h"

// Every option, once. Flags, YAML keys, the options in results.json and Python's keywords are made from this
// table, so a default, a name or a help text cannot differ between them.
//
//   find_option("alpha").set(config, {"3", "star"});      // as --alpha 3 --alpha star, or alpha: [3, star]
//   find_option("lambda").get(config);                    // OptionValue holding 1.0
namespace atcav {

// std::monostate: not given, and there is no default.
using OptionValue = std::variant<std::monostate, bool, Index, std::uint64_t, double, std::string,
                                 std::vector<std::string>, std::vector<Index>, std::vector<double>>;

enum class OptionGroup { kWhat, kNetwork, kStatistics, kRunning };

struct Option {
  std::string key;   // "skip-bad": --skip-bad, skip-bad: in YAML, skip_bad in Python
  std::string type;  // "NAME=PATH" in the help; empty for a switch
  std::string help;
  OptionGroup group = OptionGroup::kWhat;
  bool of_score = false;    // `atcav score` has it
  bool of_run = false;      // `atcav run` has it
  bool recorded = false;    // in the options of results.json: a number depends on it
  bool repeatable = false;  // --alpha 3 --alpha star; the list in YAML
  std::function<OptionValue(const Config&)> get = {};
  // Takes texts as typed: one, or several where repeatable; a list such as 3,224,224 is one text.
  // std::invalid_argument with key, value and what it must be.
  std::function<void(Config&, const std::vector<std::string>&)> set = {};
  std::vector<std::string> words = {};  // what it must be one of, where these are words of a list
};

const std::vector<Option>& option_table();
// std::invalid_argument with the closest keys when there is none.
const Option& find_option(const std::string& key);

// From a value of its own type instead of text, as Python has them: a number, a list of numbers or texts.
// Nothing changes where there is none. std::invalid_argument as set has it, and for a list where one value is
// meant.
void set_option(Config& config, const std::string& key, const OptionValue& value);

}  // namespace atcav
