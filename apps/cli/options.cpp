#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/cli/command.h"
#include "pipeline/option_table.h"

namespace atcav::cli {
namespace {

struct DefaultText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool) const { return ""; }
  std::string operator()(const std::string& text) const { return text; }
  template <typename Value>
  std::string operator()(const Value& value) const {
    if constexpr (std::is_arithmetic_v<Value>) {
      return fmt::format("{}", value);
    } else {
      return fmt::format("{}", fmt::join(value, ","));
    }
  }
};

const char* title(OptionGroup group) {
  switch (group) {
    case OptionGroup::kWhat:
      return "What to test";
    case OptionGroup::kNetwork:
      return "Network and inputs";
    case OptionGroup::kStatistics:
      return "Statistics";
    case OptionGroup::kRunning:
      break;
  }
  return "Running and output";
}

}  // namespace

void TypedOptions::add(CLI::App& app, const std::string& command, const std::vector<std::string>& only) {
  const Config defaults;
  for (const Option& option : option_table()) {
    if (!(command == "run" ? option.of_run : option.of_score)) continue;
    if (!only.empty() && std::ranges::find(only, option.key) == only.end()) continue;
    std::vector<std::string>& texts = texts_[option.key];
    const std::string help = option.help + (option.repeatable ? ", repeatable" : "");
    CLI::Option* added = nullptr;
    if (option.type.empty()) {
      added = app.add_flag_function(
          option.key.starts_with("no-") ? "--" + option.key : fmt::format("--{0},!--no-{0}", option.key),
          [&texts](std::int64_t count) { texts = {count > 0 ? "true" : "false"}; }, help);
    } else {
      added = app.add_option("--" + option.key, texts, help)->type_name(option.type)->expected(1)->take_all();
      const std::string fallback = std::visit(DefaultText{}, option.get(defaults));
      if (!fallback.empty()) added->default_str(fallback);
    }
    added->group(title(option.group));
  }
}

void TypedOptions::apply(Config& config) const {
  for (const auto& [key, texts] : texts_) {
    if (!texts.empty()) find_option(key).set(config, texts);
  }
}

std::string quoted(const std::vector<std::string>& arguments) {
  constexpr const char* kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
  std::string line = "atcav";
  for (const std::string& argument : arguments) {
    const bool plain = !argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos;
    line += plain ? " " + argument : " '";
    if (plain) continue;
    for (const char c : argument) line += c == '\'' ? "'\\''" : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace atcav::cli
