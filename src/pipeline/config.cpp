#include "atcav/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>

#include "core/check.h"
#include "pipeline/option_table.h"

namespace atcav {
namespace {

// A value as it would be typed: one text, or several where the option is repeatable.
std::vector<std::string> texts_of(const Option& option, const YAML::Node& node) {
  if (node.IsScalar()) return {node.Scalar()};
  std::vector<std::string> texts;
  for (const YAML::Node& part : node) {
    if (!node.IsSequence() || !part.IsScalar())
      fail_argument("options", fmt::format("{} must be a value or a list of values", option.key));
    texts.push_back(part.Scalar());
  }
  if (texts.empty()) fail_argument("options", fmt::format("{} has no value", option.key));
  if (!option.repeatable) texts = {fmt::format("{}", fmt::join(texts, ","))};
  return texts;
}

class NoEvents : public YAML::EventHandler {
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

// Not YAML::LoadAll, which never ends where a document begins with a comma.
void check_single_document(const std::string& yaml) {
  std::istringstream text(yaml);
  YAML::Parser parser(text);
  NoEvents none;
  if (parser.HandleNextDocument(none) && parser.HandleNextDocument(none))
    fail_argument("config", "expected one YAML document");
}

void read_entry(Config& config, const YAML::Node& key, const YAML::Node& value) {
  const auto name = key.as<std::string>();
  const Option& option = find_option(name);
  option.set(config, texts_of(option, value));
}

[[noreturn]] void refuse_target(const std::string& text) {
  fail_argument("options",
                fmt::format("class index is '{}', must be a whole number, 0 or more; a difference such as "
                            "340-339; -0, a single logit with its sign changed; or @FILE",
                            text));
}

struct Emit {
  YAML::Emitter& out;
  const std::string& key;
  template <typename Value>
  void operator()(const Value& value) const {
    if constexpr (std::is_same_v<Value, std::monostate>) {
      return;
    } else if constexpr (std::is_same_v<Value, double>) {
      out << YAML::Key << key << YAML::Value << fmt::format("{}", value);
    } else if constexpr (std::is_arithmetic_v<Value>) {
      out << YAML::Key << key << YAML::Value << value;
    } else if (!value.empty()) {
      out << YAML::Key << key << YAML::Value;
      put(value);
    }
  }
  // The emitter leaves a carriage return as it is, and whoever reads it takes it for the end of the line.
  void put(const std::string& text) const {
    const auto is_control = [](char letter) { return std::iscntrl(static_cast<unsigned char>(letter)) != 0; };
    if (std::ranges::any_of(text, is_control)) out << YAML::DoubleQuoted;
    out << text;
  }
  template <typename Value>
  void put(const std::vector<Value>& values) const {
    if constexpr (std::is_same_v<Value, std::string>) {
      out << YAML::BeginSeq;
      for (const std::string& text : values) put(text);
      out << YAML::EndSeq;
    } else {
      out << values;
    }
  }
};

}  // namespace

std::string target_text(const Target& target) {
  if (!target.file.empty()) return "@" + target.file;
  const std::string text = fmt::format("{}{}", target.negative ? "-" : "", target.logit);
  return target.minus ? fmt::format("{}-{}", text, *target.minus) : text;
}

Target read_target(const std::string& text) {
  Target target;
  if (text.starts_with('@') && text.size() > 1) {
    target.file = text.substr(1);
    return target;
  }
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto number = [&]() -> Index {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    const auto stop = static_cast<std::size_t>(end - text.data());
    // 010 is eight to some and ten to others.
    if (error != std::errc() || (text[at] == '0' && stop > at + 1)) refuse_target(text);
    at = stop;
    return value;
  };
  target.negative = at == 1;
  target.logit = number();
  if (at < text.size() && text[at] == '-') {
    ++at;
    target.minus = number();
  }
  if (at < text.size() || (target.negative && text != "-0")) refuse_target(text);
  return target;
}

Config read_config(const std::string& yaml) {
  Config config;
  std::map<std::string, int> seen;
  try {
    const YAML::Node document = YAML::Load(yaml);
    if (!document.IsMap()) fail_argument("config", "must be a list of 'key: value'");
    check_single_document(yaml);
    for (const auto& entry : document) {
      const int line = entry.first.Mark().line + 1;
      try {
        const auto [first, added] = seen.emplace(entry.first.as<std::string>(), line);
        if (!added)
          fail_argument("config",
                        fmt::format("the key '{}' is in line {} already", first->first, first->second));
        read_entry(config, entry.first, entry.second);
      } catch (const std::invalid_argument& error) {
        const std::string_view text = error.what();
        const std::size_t close = text.find("] ");
        fail_argument("config",
                      fmt::format("line {}: {}", line, text.substr(close == text.npos ? 0 : close + 2)));
      }
    }
  } catch (const YAML::Exception& error) {
    fail_argument("config", error.what());
  }
  return config;
}

std::string write_config(const Config& config) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  for (const Option& option : option_table()) std::visit(Emit{out, option.key}, option.get(config));
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace atcav
