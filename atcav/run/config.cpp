#include "atcav/run/run_config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <functional>
#include <map>

#include "atcav/base/check.h"

namespace atcav {
namespace {

using Setter = std::function<void(const YAML::Node&)>;

template <typename Value>
Setter into(Value& target) {
  return [&target](const YAML::Node& node) { target = node.as<Value>(); };
}

template <typename Value>
Setter into_optional(std::optional<Value>& target) {
  return [&target](const YAML::Node& node) { target = node.as<Value>(); };
}

Setter parsed(const std::function<void(const std::string&)>& parse) {
  return [parse](const YAML::Node& node) { parse(node.as<std::string>()); };
}

template <typename Value>
Setter list_of(std::vector<Value>& target, const std::function<Value(const std::string&)>& parse) {
  return [&target, parse](const YAML::Node& node) {
    target.clear();
    for (const YAML::Node& entry : node) target.push_back(parse(entry.as<std::string>()));
  };
}

std::map<std::string, Setter> setters(Config& c) {
  Options& o = c.options;
  const auto text = [](const std::string& value) { return value; };
  return {
      {"model", into(c.model)},
      {"layer", list_of<std::string>(c.layers, text)},
      {"class", list_of<ClassSet>(c.classes, parse_class)},
      {"concept",
       list_of<ExampleSet>(c.concepts, [](const std::string& t) { return parse_example_set("concept", t); })},
      {"random", into(c.random)},
      {"cavs", into(c.cavs)},
      {"relative", list_of<std::string>(c.relative, text)},
      {"cav", parsed([&o](const std::string& t) { o.cav.method = stats::parse_cav_method(t); })},
      {"lambda", into(o.cav.lambda)},
      {"cost", into(o.cav.cost)},
      {"centred", into(o.cav.centred)},
      {"alpha", list_of<std::string>(o.alpha, text)},
      {"sigma", parsed([&o](const std::string& t) { o.sigma = parse_sigma(t); })},
      {"runs", into(o.runs)},
      {"split", parsed([&o](const std::string& t) { o.split = parse_split(t); })},
      {"interval", parsed([&o](const std::string& t) { o.interval = parse_interval(t); })},
      {"bootstrap", into(o.bootstrap)},
      {"permutations", into(o.permutations)},
      {"level", into(o.level)},
      {"seed", into(o.seed)},
      {"threads", into(o.threads)},
      {"moments", into(o.moments_only)},
      {"preprocess", into(c.preprocess)},
      {"resize", into_optional(c.resize)},
      {"crop", into_optional(c.crop)},
      {"scale", into_optional(c.scale)},
      {"mean", into(c.mean)},
      {"std", into(c.std)},
      {"bgr", into(c.bgr)},
      {"output", into(c.output_tensor)},
      {"shape", into(c.shape)},
      {"pool", into(c.pool)},
      {"device", into(c.device)},
      {"precision", into(c.precision)},
      {"batch", into(c.batch)},
      {"skip-bad", into(c.skip_bad)},
      {"cache", into(c.cache)},
      {"cache-gb", into(c.cache_gb)},
      {"save-cavs", into(c.save_cavs)},
  };
}

template <typename Value>
void emit(YAML::Emitter& out, const char* key, const Value& value) {
  out << YAML::Key << key << YAML::Value << value;
}

template <typename Value>
void emit_optional(YAML::Emitter& out, const char* key, const std::optional<Value>& value) {
  if (value) emit(out, key, *value);
}

template <typename Values>
void emit_list(YAML::Emitter& out, const char* key, const Values& values) {
  if (!values.empty()) out << YAML::Key << key << YAML::Value << values;
}

void emit_text(YAML::Emitter& out, const char* key, const std::string& value) {
  if (!value.empty()) emit(out, key, value);
}

}  // namespace

ClassSet parse_class(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = equals == std::string::npos ? equals : text.rfind(':', equals);
  ClassSet set;
  if (colon != std::string::npos && colon > 0 && equals > colon + 1 && equals + 1 < text.size()) {
    set.name = text.substr(0, colon);
    set.path = text.substr(equals + 1);
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + equals, set.target);
    if (error == std::errc() && end == text.data() + equals && set.target >= 0) return set;
  }
  fail_argument("class", fmt::format("'{}' must be NAME:INDEX=PATH, e.g. zebra:340=images/zebra", text));
}

ExampleSet parse_example_set(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    fail_argument(option, fmt::format("'{}' must be NAME=PATH", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Config read_config(const std::string& yaml) {
  Config config;
  const std::map<std::string, Setter> known = setters(config);
  try {
    const YAML::Node root = YAML::Load(yaml);
    if (!root.IsMap()) fail_argument("config", "must be a list of 'key: value'");
    for (const auto& entry : root) {
      const auto key = entry.first.as<std::string>();
      const auto setter = known.find(key);
      const int line = entry.first.Mark().line + 1;
      if (setter == known.end())
        fail_argument("config", fmt::format("line {}: there is no key '{}'", line, key));
      try {
        setter->second(entry.second);
      } catch (const YAML::Exception&) {
        fail_argument("config", fmt::format("line {}: the value of '{}' has the wrong type", line, key));
      }
    }
  } catch (const YAML::ParserException& error) {
    fail_argument("config", error.what());
  }
  return config;
}

std::string write_config(const Config& c) {
  const Options& o = c.options;
  YAML::Emitter out;
  out << YAML::BeginMap;
  emit(out, "model", c.model);
  emit_list(out, "layer", c.layers);
  std::vector<std::string> sets;
  for (const ClassSet& set : c.classes)
    sets.push_back(fmt::format("{}:{}={}", set.name, set.target, set.path));
  emit_list(out, "class", sets);
  sets.clear();
  for (const ExampleSet& set : c.concepts) sets.push_back(fmt::format("{}={}", set.name, set.path));
  emit_list(out, "concept", sets);
  emit_text(out, "random", c.random);
  emit_text(out, "cavs", c.cavs);
  emit_list(out, "relative", c.relative);
  emit(out, "cav", std::string(stats::name(o.cav.method)));
  emit(out, "lambda", o.cav.lambda);
  emit(out, "cost", o.cav.cost);
  emit(out, "centred", o.cav.centred);
  emit_list(out, "alpha", o.alpha);
  emit(out, "sigma", std::string(name(o.sigma)));
  emit(out, "runs", o.runs);
  emit(out, "split", std::string(name(o.split)));
  emit(out, "interval", std::string(name(o.interval)));
  emit(out, "bootstrap", o.bootstrap);
  emit(out, "permutations", o.permutations);
  emit(out, "level", o.level);
  emit(out, "seed", o.seed);
  emit(out, "threads", o.threads);
  emit(out, "moments", o.moments_only);
  emit(out, "preprocess", c.preprocess);
  emit_optional(out, "resize", c.resize);
  emit_optional(out, "crop", c.crop);
  emit_optional(out, "scale", c.scale);
  emit_list(out, "mean", c.mean);
  emit_list(out, "std", c.std);
  emit(out, "bgr", c.bgr);
  emit_text(out, "output", c.output_tensor);
  emit_list(out, "shape", c.shape);
  emit(out, "pool", c.pool);
  emit(out, "device", c.device);
  emit(out, "precision", c.precision);
  emit(out, "batch", c.batch);
  emit(out, "skip-bad", c.skip_bad);
  emit_text(out, "cache", c.cache);
  emit(out, "cache-gb", c.cache_gb);
  emit_text(out, "save-cavs", c.save_cavs);
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace atcav
