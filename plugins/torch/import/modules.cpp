#include "plugins/torch/import/modules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "plugins/torch/onnx/scopes.h"

namespace atcav::plugin {
namespace {

using Path = std::vector<onnx::Scope>;

bool is_inside(const Path& path, const std::string& module) {
  return std::any_of(path.begin(), path.end(),
                     [&](const onnx::Scope& scope) { return scope.module == module; });
}

// "features.3" → "features", 3; −1 where the last part is no number.
std::pair<std::string, int> numbered(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::string last = name.substr(dot + 1);
  int number = -1;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), number);
  if (error != std::errc() || end != last.data() + last.size() || dot == std::string::npos) return {name, -1};
  return {name.substr(0, dot), number};
}

std::vector<Path> step_paths(const Network& network) {
  std::vector<Path> paths;
  onnx::Budget budget;
  for (const Step& step : network.steps) {
    paths.push_back(onnx::scopes_of(step.node));
    for (const onnx::Scope& scope : paths.back()) budget.take_bytes(scope.module.size());
  }
  return paths;
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char letter : name) {
    if (letter == '.') {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

// "output_1" is "output" to its weights: the number counts calls.
bool same_part(const std::string& given, const std::string& whole) {
  return given == whole || (given.starts_with(whole + "_") &&
                            given.find_first_not_of("0123456789", whole.size() + 1) == std::string::npos);
}

// The module "h.0.ln_1" and its parents, by the names they have in "transformer.h.0.ln_1.weight".
void note_whole_names(const std::string& module, const std::string& weights,
                      std::map<std::string, std::string>& whole) {
  std::vector<std::string> own = parts_of(module);
  std::vector<std::string> named = parts_of(weights.substr(0, weights.rfind('.')));
  std::size_t at = 0;
  for (const std::string& part : named) at += at < own.size() && same_part(own[at], part) ? 1 : 0;
  if (at < own.size() || !same_part(own.back(), named.back())) return;
  while (!own.empty() && !named.empty() && own != named && same_part(own.back(), named.back())) {
    whole.emplace(fmt::format("{}", fmt::join(own, ".")), fmt::format("{}", fmt::join(named, ".")));
    own.pop_back();
    named.pop_back();
  }
}

// The old exporter leaves out containers that are not called (ModuleDict): "h.0.ln_1" reads the weights
// "transformer.h.0.ln_1.weight". Weights keep the whole name, so it is put right wherever a module, or a part
// of it, has some.
void restore_containers(const Network& network, std::vector<Path>& paths) {
  std::map<std::string, std::string> whole;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty()) continue;
    for (const Slot slot : network.steps[i].inputs) {
      if (!network.is_constant(slot)) continue;
      const std::string& name = network.names[slot];
      if (name.ends_with(".weight") || name.ends_with(".bias"))
        note_whole_names(paths[i].back().module, name, whole);
    }
  }
  for (Path& path : paths) {
    for (onnx::Scope& scope : path) {
      std::string head = scope.module;
      while (!head.empty() && !whole.contains(head))
        head.resize(head.rfind('.') == std::string::npos ? 0 : head.rfind('.'));
      if (!head.empty()) scope.module = whole.at(head) + scope.module.substr(head.size());
    }
  }
}

// What a module computes: ops, and the weights they read. Two calls of one module have the same.
std::vector<std::string> signature(const Network& network, const std::vector<Path>& paths,
                                   const std::string& module) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!is_inside(paths[i], module)) continue;
    parts.push_back(network.steps[i].node.op);
    for (const Slot slot : network.steps[i].inputs) {
      if (network.is_constant(slot) && network.constants[slot].numel() > 1)
        parts.push_back(network.names[slot]);
    }
  }
  return parts;
}

// The old exporter calls the second call of "relu" "relu_1", within whose path the module is "relu" too.
void join_calls(const Network& network, std::vector<Path>& paths) {
  std::set<std::string> names;
  for (const Path& path : paths) {
    for (const onnx::Scope& scope : path) names.insert(scope.module);
  }
  std::map<std::string, std::string> calls;
  for (const std::string& name : names) {
    const std::size_t bar = name.find_last_not_of("0123456789");
    if (bar == std::string::npos || bar + 1 == name.size() || name[bar] != '_') continue;
    const std::string base = name.substr(0, bar);
    if (names.contains(base) && signature(network, paths, base) == signature(network, paths, name))
      calls[name] = base;
  }
  for (Path& path : paths) {
    for (const auto& [call, base] : calls) {
      Path joined;
      for (const onnx::Scope& scope : path) {
        if (scope.module == call || scope.module.starts_with(call + "."))
          joined.push_back({base + scope.module.substr(call.size()), scope.type});
        joined.push_back(scope);
      }
      path = std::move(joined);
    }
  }
}

class Finder {
 public:
  Finder(const Network& network, const std::vector<Slot>& layers, Slot logits)
      : network_(network), layers_(layers), logits_(logits), paths_(step_paths(network)) {
    const bool from_names = std::all_of(network.steps.begin(), network.steps.end(),
                                        [](const Step& step) { return step.node.scopes.empty(); });
    if (from_names) {
      restore_containers(network, paths_);
      join_calls(network, paths_);
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (layers[i] != kNoSlot) positions_[layers[i]] = i;
    }
    for (std::size_t i = 0; i < network.steps.size(); ++i) {
      for (const Slot slot : network.steps[i].reads) readers_[slot].push_back(i);
    }
  }

  std::vector<model::Module> find() {
    add_named();
    add_folded();
    add_silent();
    return in_tree_order();
  }

 private:
  // By a step inside the module, or by one outside it.
  bool is_read(Slot slot, const std::string& module, bool inside) const {
    const auto readers = readers_.find(slot);
    return readers != readers_.end() &&
           std::any_of(readers->second.begin(), readers->second.end(),
                       [&](std::size_t reader) { return is_inside(paths_[reader], module) == inside; });
  }
  bool escapes(Slot slot, const std::string& module) const {
    return slot == logits_ || is_read(slot, module, false);
  }

  void add_named() {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      for (const onnx::Scope& scope : paths_[i]) {
        for (const Slot slot : network_.steps[i].outputs) {
          if (!positions_.contains(slot) || !escapes(slot, scope.module)) continue;
          types_[scope.module] = scope.type;
          results_[scope.module].push_back(slot);
          break;  // of several outputs of a node the first is its result
        }
      }
    }
    for (const auto& [name, slots] : results_) {
      std::string note;
      if (slots.size() > 1) {
        std::vector<std::string> tensors;
        for (const Slot slot : slots) tensors.push_back(network_.names[slot]);
        note = fmt::format("module '{}' gives {} tensors ({}): the last one is meant", name, slots.size(),
                           fmt::join(tensors, ", "));
      }
      add(name, types_[name], slots.back(), note);
    }
  }

  void add(const std::string& name, const std::string& type, Slot slot, const std::string& note) {
    modules_.emplace(name, model::Module{name, type, positions_.at(slot), note});
  }

  void add_folded() {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const Step& step = network_.steps[i];
      const bool can_fold = step.node.op.starts_with("Conv") || step.node.op == "Gemm";
      if (!can_fold || step.inputs.size() < 3 || paths_[i].empty()) continue;
      if (!positions_.contains(step.outputs.front())) continue;
      const std::string& own = paths_[i].back().module;
      const std::string& weights = network_.names[step.inputs[1]];
      if (weights.starts_with("onnx::Conv")) {
        add_guessed_norm(own, step.outputs.front());
        if (const auto conv = modules_.find(own); conv != modules_.end() && conv->second.note.empty()) {
          conv->second.note = fmt::format(
              "the exporter folded a BatchNorm into the convolution '{}': the tensor is the one after both",
              own);
        }
      } else if (weights.ends_with(".weight")) {
        const std::string conv = weights.substr(0, weights.size() - std::string(".weight").size());
        if (is_inside(paths_[i], conv)) continue;
        add(conv, "Conv", step.outputs.front(),
            fmt::format("the exporter folded '{}' into '{}': both names are the tensor after both", own,
                        conv));
      }
    }
  }

  void add_guessed_norm(const std::string& conv, Slot slot) {
    const auto [parent, number] = numbered(conv);
    std::vector<std::string> guesses;
    if (number >= 0) {
      guesses = {fmt::format("{}.{}", parent, number + 1)};
    } else if (const std::size_t at = conv.rfind("conv"); at != std::string::npos) {
      const std::string before = conv.substr(0, at);
      const std::string count = conv.substr(at + 4);
      const bool counted = count.size() == 1 && count[0] >= '0' && count[0] < '9';
      for (const char* word : {"bn", "norm"}) {
        // norm1 may stand in front of conv1, as in a DenseNet: then norm2 follows it.
        const std::string same = fmt::format("{}{}{}", before, word, count);
        const bool taken = counted && results_.contains(same);
        guesses.push_back(taken ? fmt::format("{}{}{}", before, word, static_cast<char>(count[0] + 1))
                                : same);
      }
    }
    for (const std::string& name : guesses) {
      add(name, "BatchNorm", slot,
          fmt::format(
              "the file does not name '{}': the exporter folded what followed '{}' into that convolution",
              name, conv));
    }
  }

  void add_silent() {
    const auto known = modules_;
    for (const auto& [name, module] : known) {
      const auto [parent, number] = numbered(name);
      if (number < 0) continue;
      constexpr int kLongestGap = 3;
      for (int next = number + 1; next <= number + 1 + kLongestGap; ++next) {
        const std::string after = fmt::format("{}.{}", parent, next);
        if (!known.contains(after)) continue;
        if (next > number + 1 && is_read(layers_[module.layer], after, true)) {
          for (int between = number + 1; between < next; ++between) {
            const std::string silent = fmt::format("{}.{}", parent, between);
            add(silent, "", layers_[module.layer],
                fmt::format("'{}' left nothing in the file: it gives what '{}' gives", silent, name));
          }
        }
        break;
      }
    }
  }

  // Of the layer that comes first inside it.
  std::size_t first_layer(const std::string& name) const {
    std::size_t first = modules_.at(name).layer;
    for (auto at = modules_.upper_bound(name + "."); at != modules_.end(); ++at) {
      if (!at->first.starts_with(name + ".")) break;
      first = std::min(first, at->second.layer);
    }
    return first;
  }

  std::vector<model::Module> in_tree_order() const {
    std::map<std::string, std::vector<std::string>> parts;  // by parent, "" for the network
    for (const auto& [name, module] : modules_) {
      std::string parent = name;
      do {
        parent = parent.substr(0, parent.rfind('.') == std::string::npos ? 0 : parent.rfind('.'));
      } while (!parent.empty() && !modules_.contains(parent));
      parts[parent].push_back(name);
    }
    for (auto& [parent, names] : parts) {
      std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
        return std::pair(first_layer(a), numbered(a).second) < std::pair(first_layer(b), numbered(b).second);
      });
    }
    std::vector<model::Module> ordered;
    std::vector<std::string> waiting(parts[""].rbegin(), parts[""].rend());
    while (!waiting.empty()) {
      const std::string name = waiting.back();
      waiting.pop_back();
      ordered.push_back(modules_.at(name));
      waiting.insert(waiting.end(), parts[name].rbegin(), parts[name].rend());
    }
    return ordered;
  }

  const Network& network_;
  const std::vector<Slot>& layers_;
  Slot logits_;
  std::vector<Path> paths_;
  std::map<Slot, std::size_t> positions_;
  std::map<Slot, std::vector<std::size_t>> readers_;
  std::map<std::string, std::string> types_;
  std::map<std::string, std::vector<Slot>> results_;
  std::map<std::string, model::Module> modules_;
};

}  // namespace

std::vector<model::Module> find_modules(const Network& network, const std::vector<Slot>& layers,
                                        Slot logits) {
  return Finder(network, layers, logits).find();
}

}  // namespace atcav::plugin
