#include "pipeline/option_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <type_traits>

#include "core/check.h"
#include "data/file/fail.h"

namespace atcav {
namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& text, const std::string& wanted) {
  fail_argument("options", fmt::format("{} is '{}', must be {}", key, text, wanted));
}

// Words of an enumeration, as users type them.
constexpr auto words_of(stats::CavMethod) { return stats::kCavMethods; }
constexpr auto words_of(Sigma) { return std::array{"effective", "analytic"}; }
constexpr auto words_of(IntervalMethod) { return std::array{"delta", "bootstrap"}; }
constexpr auto words_of(stats::Split) { return std::array{"random", "both"}; }
constexpr auto words_of(EraserChoice) { return std::array{"pattern", "ridge"}; }
constexpr auto words_of(data::PreprocessPreset) { return std::array{"torchvision", "caffe", "tf", "none"}; }
constexpr auto words_of(model::Precision) { return std::array{"fp32", "tf32", "bf16"}; }

template <typename Value>
constexpr bool kIsList = false;
template <typename Value>
constexpr bool kIsList<std::vector<Value>> =
    !std::is_arithmetic_v<Value> && !std::is_same_v<Value, model::Device>;

// Text → value.

// An empty name is most likely a variable of the shell that is not set: nothing would be read or written.
void parse(const std::string& key, const std::string& text, std::string& value) {
  if (text.empty()) refuse(key, text, "left out or a name");
  value = text;
}

void parse(const std::string& key, const std::string& text, bool& value) {
  if (text != "true" && text != "false") refuse(key, text, "true or false");
  value = text == "true";
}

template <typename Number>
requires std::is_arithmetic_v<Number>
void parse(const std::string& key, const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if constexpr (std::is_integral_v<Number>) {
    // 010 is eight to some and ten to others.
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    const bool octal = text.size() > first + 1 && text[first] == '0';
    const char* wanted = std::is_unsigned_v<Number> ? "a whole number, 0 or more" : "a whole number";
    if (error != std::errc() || stop != end || octal) refuse(key, text, wanted);
  } else {
    if (error != std::errc() || stop != end || !std::isfinite(value)) refuse(key, text, "a number");
  }
}

template <typename Enum>
requires std::is_enum_v<Enum>
void parse(const std::string& key, const std::string& text, Enum& value) {
  constexpr auto words = words_of(Enum());
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) {
    const auto last = words.end() - 1;
    refuse(key, text, fmt::format("{} or {}", fmt::join(words.begin(), last, ", "), *last));
  }
  value = static_cast<Enum>(found - words.begin());
}

template <typename Value>
void parse(const std::string& key, const std::string& text, std::optional<Value>& value) {
  value.reset();
  if (text != "auto") parse(key, text, value.emplace());
}

template <typename Number>
requires std::is_arithmetic_v<Number>
void parse(const std::string& key, const std::string& text, std::vector<Number>& values) {
  values.clear();
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    parse(key, text.substr(first, comma - first), values.emplace_back());
    first = comma + 1;
  }
}

void parse(const std::string&, const std::string& text, model::Pool& pool) { pool = model::read_pool(text); }

void parse(const std::string& /*key*/, const std::string& text, std::vector<model::Device>& devices) {
  devices = model::read_devices(text);
}

void parse(const std::string& /*key*/, const std::string& text, Alpha& alpha) { alpha = read_alpha(text); }

void parse(const std::string& key, const std::string& text, ExampleSet& set) {
  const std::size_t equals = text.find('=');
  // One class needs no name, and a path may hold a '=' of its own.
  if (key == "class-groups" && (equals == std::string::npos || equals == 0)) {
    set = {"", text};
    return;
  }
  if (key == "gradients" && (equals == std::string::npos || std::filesystem::exists(text))) {
    set = {"", text};
    return;
  }
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) refuse(key, text, "NAME=PATH");
  set = {text.substr(0, equals), text.substr(equals + 1)};
}

void parse(const std::string& key, const std::string& text, ClassSet& set) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = equals == std::string::npos ? equals : text.rfind(':', equals);
  const bool whole =
      colon != std::string::npos && colon > 0 && equals > colon + 1 && equals + 1 < text.size();
  if (!whole) refuse(key, text, "NAME:INDEX=PATH, e.g. zebra:340=images/zebra");
  set = {text.substr(0, colon), read_target(text.substr(colon + 1, equals - colon - 1)),
         text.substr(equals + 1)};
}

void parse(const std::string& key, const std::string& text, ConceptPair& pair) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse(key, text, "CONCEPT:CONCEPT");
  pair = {text.substr(0, colon), text.substr(colon + 1)};
}

// Value → what tables, YAML and JSON show.
std::string shown(const std::string& text) { return text; }
std::string shown(Alpha alpha) { return alpha_text(alpha); }
std::string shown(const ExampleSet& set) { return set.name.empty() ? set.path : set.name + "=" + set.path; }
std::string shown(const ClassSet& set) {
  return fmt::format("{}:{}={}", set.name, target_text(set.target), set.path);
}
std::string shown(const ConceptPair& pair) { return pair.first + ":" + pair.second; }

template <typename Value>
OptionValue value_of(const Value& value) {
  if constexpr (std::is_same_v<Value, int>) {
    return Index{value};
  } else if constexpr (std::is_same_v<Value, model::Pool>) {
    return model::pool_text(value);
  } else if constexpr (std::is_same_v<Value, std::vector<model::Device>>) {
    return model::device_text(value);
  } else if constexpr (std::is_enum_v<Value>) {
    return std::string(words_of(value)[static_cast<std::size_t>(value)]);
  } else if constexpr (kIsList<Value>) {
    std::vector<std::string> texts;
    texts.reserve(value.size());
    for (const auto& entry : value) texts.push_back(shown(entry));
    return texts;
  } else {
    return value;
  }
}

template <typename Value>
OptionValue value_of(const std::optional<Value>& value) {
  return value ? value_of(*value) : OptionValue{};
}

enum Of : unsigned { kScore = 1, kRun = 2, kBoth = 3, kRecorded = 4 };

template <typename Access>
Option entry(OptionGroup group, unsigned of, std::string key, std::string type, std::string help,
             Access access) {
  using Value = std::remove_reference_t<decltype(access(std::declval<Config&>()))>;
  Option option{std::move(key),   std::move(type),       std::move(help), group, (of & kScore) != 0,
                (of & kRun) != 0, (of & kRecorded) != 0, kIsList<Value>,  {},    {}};
  if constexpr (std::is_enum_v<Value>) {
    for (const auto& word : words_of(Value())) option.words.emplace_back(word);
  }
  option.get = [access](const Config& config) { return value_of(access(config)); };
  option.set = [access, key = option.key](Config& config, const std::vector<std::string>& texts) {
    auto& field = access(config);
    if constexpr (kIsList<Value>) {
      field.clear();
      for (const std::string& text : texts) parse(key, text, field.emplace_back());
    } else {
      if (texts.size() != 1) refuse(key, fmt::format("{}", fmt::join(texts, ", ")), "given once");
      parse(key, texts.front(), field);
    }
  };
  return option;
}

// Before pools of examples there was --pool mean, which scripts still say.
Option pool_entry(OptionGroup group) {
  Option option = entry(
      group, kBoth, "pool", "PATH",
      "examples whose --labels are concepts (for arrays: their activations); a word of --pooling means that",
      [](auto& config) -> auto& { return config.pool_examples; });
  option.set = [](Config& config, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      if (model::is_pool(text))
        config.pool = model::read_pool(text);
      else
        parse("pool", text, config.pool_examples);
    }
  };
  return option;
}

#define ATCAV_FIELD(name) ([](auto& c) -> auto& { return c.name; })

std::vector<Option> make_table() {
  const auto what = OptionGroup::kWhat;
  const auto network = OptionGroup::kNetwork;
  const auto statistics = OptionGroup::kStatistics;
  const auto running = OptionGroup::kRunning;
  const unsigned recorded = kBoth | kRecorded;
  return {
      entry(what, kRun, "model", "FILE", "ONNX file", ATCAV_FIELD(model)),
      entry(what, kBoth, "layer", "NAME",
            "module, tensor or node (atcav layers lists them), or a pattern of modules such as 'layer*'; for "
            "arrays a name for the report",
            ATCAV_FIELD(layers)),
      entry(what, kRun, "class", "NAME:INDEX=PATH",
            "class inputs and the index of their logit, counted from 0; also 340-339 (a difference), -0 (a "
            "logit with its sign changed), @FILE (an index per input)",
            ATCAV_FIELD(classes)),
      entry(what, kRun, "texts", "CLASS=FILE", "text of the class inputs for the report, one line per input",
            ATCAV_FIELD(texts)),
      entry(what, kScore, "gradients", "[CLASS=]FILE",
            "gradients of a class's logit at the layer, one row per input", ATCAV_FIELD(gradients)),
      entry(what, kBoth, "concept", "NAME=PATH", "concept examples (for arrays: their activations)",
            ATCAV_FIELD(concepts)),
      entry(what, kBoth, "random", "PATH", "random examples (for arrays: their activations)",
            ATCAV_FIELD(random)),
      entry(what, kRun, "cavs", "FILE",
            "score these directions (tensors LAYER/CONCEPT) instead of --concept and --random",
            ATCAV_FIELD(cavs)),
      entry(what, kBoth, "relative", "A:B", "one concept against another instead of random",
            ATCAV_FIELD(relative)),
      pool_entry(what),
      entry(what, kBoth, "labels", "FILE",
            "CSV table of the pool's labels: the first column names the file or the `row`, every other one "
            "is a concept (0/1 or numbers)",
            ATCAV_FIELD(labels)),
      entry(what, kBoth, "group-column", "NAME",
            "column of the labels that names each row's group (text): rows of a group are not independent "
            "examples",
            ATCAV_FIELD(group_column)),
      entry(what, kRun, "group-by", "REGEX", "the first capture in a file name is the example's group",
            ATCAV_FIELD(group_by)),
      entry(what, kBoth, "class-groups", "[CLASS=]FILE|REGEX",
            "groups of class inputs: a file with one per line, or as --group-by", ATCAV_FIELD(class_groups)),

      entry(statistics, recorded, "cav", "WORD", "how to find the direction: pattern|fast|ridge|logistic|svm",
            ATCAV_FIELD(options.cav.method)),
      entry(statistics, recorded, "lambda", "NUMBER", "penalty of ridge", ATCAV_FIELD(options.cav.lambda)),
      entry(statistics, recorded, "cost", "NUMBER", "C of logistic and svm", ATCAV_FIELD(options.cav.cost)),
      entry(statistics, recorded, "centred", "",
            "ridge with means subtracted first (the default; the paper's form is --no-centred)",
            ATCAV_FIELD(options.cav.centred)),
      entry(statistics, recorded, "alpha", "ALPHA",
            "star|dagger|NUMBER; the first is the headline score (default dagger)",
            ATCAV_FIELD(options.alpha)),
      entry(statistics, recorded, "sigma", "WORD", "noise behind star and dagger: effective (paper)|analytic",
            ATCAV_FIELD(options.sigma)),
      entry(statistics, recorded, "runs", "N", "runs of Multi-TCAV", ATCAV_FIELD(options.runs)),
      entry(statistics, recorded, "split", "WORD", "what the runs split: random|both",
            ATCAV_FIELD(options.split)),
      entry(statistics, recorded, "interval", "WORD", "interval of smooth scores: delta|bootstrap",
            ATCAV_FIELD(options.interval)),
      entry(statistics, recorded, "bootstrap", "N", "resamples (0: 1000; 200 for fits, and for 2000 tests)",
            ATCAV_FIELD(options.bootstrap)),
      entry(statistics, recorded, "permutations", "N", "relabellings for differs_p",
            ATCAV_FIELD(options.permutations)),
      entry(statistics, recorded, "pairs", "",
            "row i of a concept and row i of random belong together (a text and its counterpart)",
            ATCAV_FIELD(options.pairs)),
      entry(statistics, recorded, "level", "NUMBER", "of intervals", ATCAV_FIELD(options.level)),
      entry(statistics, recorded, "negligible", "NUMBER",
            "size of d that does not matter: concepts shown to stay below it are not used beyond it",
            ATCAV_FIELD(options.negligible)),
      entry(statistics, kBoth, "until", "NUMBER",
            "read examples until every interval of d is d ± NUMBER or narrower", ATCAV_FIELD(options.until)),
      entry(statistics, kBoth, "budget", "N", "read at most N random and concept examples",
            ATCAV_FIELD(options.budget)),
      entry(statistics, kBoth, "seed", "N", "of everything random", ATCAV_FIELD(options.seed)),
      entry(running, kBoth, "threads", "N", "0: all available; changes no result",
            ATCAV_FIELD(options.threads)),
      entry(running, kBoth, "memory", "GB", "memory that may be taken (0: nine tenths of what is available)",
            ATCAV_FIELD(options.memory)),
      entry(statistics, kBoth, "regions", "", "a kernel classifier beside each direction (concept regions)",
            ATCAV_FIELD(options.regions)),
      entry(statistics, recorded, "moments", "",
            "pattern and fast with memory that does not grow with the rows",
            ATCAV_FIELD(options.moments_only)),

      entry(statistics, kRun, "intervene", "N",
            "inputs of each kind to add directions to (default: up to 64, about a quarter of the run)",
            ATCAV_FIELD(intervene)),
      entry(statistics, kRun, "no-intervene", "", "do not add directions to activations",
            ATCAV_FIELD(no_intervene)),
      entry(statistics, kRun, "eraser", "WORD",
            "what tells the concept that is taken away: pattern|ridge (default: the CAV's own)",
            ATCAV_FIELD(eraser)),
      entry(statistics, kRun, "no-erase", "", "do not take concepts away from activations",
            ATCAV_FIELD(no_erase)),
      entry(statistics, kRun, "erase-together", "", "take all concepts away at once, too",
            ATCAV_FIELD(erase_together)),
      entry(what, kRun, "class-names", "FILE", "names of the logits, one per line", ATCAV_FIELD(logit_names)),

      entry(network, kRun, "preprocess", "WORD", "torchvision|caffe|tf|none", ATCAV_FIELD(preprocess)),
      entry(network, kRun, "resize", "N", "shorter side after resizing", ATCAV_FIELD(resize)),
      entry(network, kRun, "crop", "N", "side of the square cut from the centre", ATCAV_FIELD(crop)),
      entry(network, kRun, "scale", "NUMBER", "factor for pixels 0-255", ATCAV_FIELD(scale)),
      entry(network, kRun, "mean", "LIST", "subtracted per channel, e.g. 0.485,0.456,0.406",
            ATCAV_FIELD(mean)),
      entry(network, kRun, "std", "LIST", "divided by per channel", ATCAV_FIELD(std)),
      entry(network, kRun, "bgr", "", "channels as blue, green, red", ATCAV_FIELD(bgr)),
      entry(network, kRun, "output", "TENSOR", "tensor with the logits (a final Softmax is skipped)",
            ATCAV_FIELD(output)),
      entry(network, kRun, "shape", "LIST", "of one example, where the model leaves it open, e.g. 3,224,224",
            ATCAV_FIELD(shape)),
      entry(network, kRun, "pooling", "WORD",
            "none, mean or max over positions; a token: cls (the first)|last|N", ATCAV_FIELD(pool)),
      entry(network, kRun, "device", "WORD", "cpu|cuda|cuda:N, or several: cuda:0,cuda:1",
            ATCAV_FIELD(devices)),
      entry(network, kRun, "precision", "WORD", "fp32, on a GPU also tf32|bf16", ATCAV_FIELD(precision)),
      entry(network, kRun, "batch", "N|auto", "examples run at once (auto: 32, on a GPU what fits up to 256)",
            ATCAV_FIELD(batch)),
      entry(network, kRun, "skip-bad", "", "leave unreadable images out instead of stopping",
            ATCAV_FIELD(skip_bad)),
      entry(running, kRun, "cache", "DIR",
            "folder that keeps activations and gradients; interrupted runs resume", ATCAV_FIELD(cache)),
      entry(running, kRun, "cache-gb", "NUMBER", "size limit of the cache", ATCAV_FIELD(cache_gb)),
      entry(running, kBoth, "influences", "",
            "keep influences.safetensors beside results.json, for atcav reanalyse and atcav compare",
            ATCAV_FIELD(influences)),
      entry(running, kBoth, "save-cavs", "FILE", "write the directions as safetensors",
            ATCAV_FIELD(save_cavs)),
  };
}

#undef ATCAV_FIELD

}  // namespace

const std::vector<Option>& option_table() {
  static const std::vector<Option> table = make_table();
  return table;
}

const Option& find_option(const std::string& key) {
  std::vector<std::string> keys;
  for (const Option& option : option_table()) {
    if (option.key == key) return option;
    keys.push_back(option.key);
  }
  fail_argument("options",
                fmt::format("there is no option '{}'; closest: {}", key, data::closest_names(key, keys, 3)));
}

namespace {

std::string typed(const std::string& text) { return text; }
std::string typed(bool value) { return value ? "true" : "false"; }
template <typename Number>
std::string typed(Number value) {
  return fmt::format("{}", value);
}

}  // namespace

void set_option(Config& config, const std::string& key, const OptionValue& value) {
  const Option& option = find_option(key);
  const auto set = [&](const auto& given) {
    using Given = std::decay_t<decltype(given)>;
    if constexpr (std::is_same_v<Given, std::monostate>) {
      return;
    } else if constexpr (requires { typename Given::value_type; } && !std::is_same_v<Given, std::string>) {
      std::vector<std::string> texts;
      texts.reserve(given.size());
      for (const auto& one : given) texts.push_back(typed(one));
      if (texts.empty()) return;
      const bool numbers = option.type == "LIST";
      if (!option.repeatable && !numbers)
        refuse(key, fmt::format("{}", fmt::join(texts, ", ")),
               fmt::format("one {}, not a list", option.type));
      option.set(config, numbers ? std::vector{fmt::format("{}", fmt::join(texts, ","))} : texts);
    } else {
      option.set(config, {typed(given)});
    }
  };
  std::visit(set, value);
}

}  // namespace atcav
