#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "atcav/model.h"
#include "model/find_layer.h"
#include "report/escape.h"

namespace atcav::cli {
namespace {

struct LayersCommand {
  std::string model;
  std::vector<std::string> names;
  std::vector<Index> shape;
  std::string output;
  bool all = false;
  bool json = false;
  double memory = model::OpenOptions().memory;
};

std::string shape_text(const std::vector<Index>& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

void print_json(const model::Facts& facts, const std::vector<model::Layer>& layers) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const model::Layer& layer : layers) {
    list.push_back({{"name", layer.name},
                    {"op", layer.op},
                    {"node", layer.node},
                    {"module", layer.path},
                    {"shape", layer.shape},
                    {"d", layer.size}});
  }
  nlohmann::ordered_json modules = nlohmann::ordered_json::array();
  for (const model::Module& module : facts.modules) {
    modules.push_back({{"name", module.name},
                       {"type", module.type},
                       {"tensor", facts.layers[module.layer].name},
                       {"note", module.note}});
  }
  const nlohmann::ordered_json all = {{"modules", modules},
                                      {"layers", list},
                                      {"logits", facts.logits},
                                      {"classes", facts.logit_count},
                                      {"notes", facts.notes}};
  fmt::print("{}\n", all.dump(2));
}

void print_head(const model::Facts& facts) {
  for (const model::InputInfo& input : facts.inputs) {
    fmt::print("input  {} {}{}\n", report::printable(input.name), shape_text(input.shape),
               input.is_integer ? " int64" : "");
  }
  fmt::print("logits {} ({} classes)\n", report::printable(facts.logits), facts.logit_count);
  for (const std::string& note : facts.notes) fmt::print("note   {}\n", report::printable(note));
}

void print_table(const std::vector<model::Layer>& layers) {
  std::size_t widest = 5;
  std::size_t op = 2;
  for (const model::Layer& layer : layers) {
    widest = std::max(widest, layer.name.size());
    op = std::max(op, layer.op.size());
  }
  fmt::print("\n{:<{}}  {:<{}}  {:>14}  {:>9}  {:>9}  {}\n", "layer", widest, "op", op, "shape", "d", "kB",
             "module");
  for (const model::Layer& layer : layers) {
    fmt::print("{:<{}}  {:<{}}  {:>14}  {:>9}  {:>9.1f}  {}\n", report::printable(layer.name), widest,
               report::printable(layer.op), op, shape_text(layer.shape), layer.size,
               static_cast<double>(layer.size) * 4 / 1024, report::printable(layer.path));
  }
}

// Modules indented below those they are part of; a * marks a note, which stands below.
void print_tree(const model::Facts& facts) {
  std::vector<std::string> names;
  std::vector<std::string> above;
  std::size_t widest = 6;
  std::size_t type = 4;
  for (const model::Module& module : facts.modules) {
    while (!above.empty() && !module.name.starts_with(above.back() + ".")) above.pop_back();
    names.push_back(std::string(2 * above.size(), ' ') + report::printable(module.name) +
                    (module.note.empty() ? "" : " *"));
    above.push_back(module.name);
    widest = std::max(widest, names.back().size());
    type = std::max(type, module.type.size());
  }
  fmt::print("\n{:<{}}  {:<{}}  {:>14}  {:>9}  {}\n", "module", widest, "type", type, "shape", "d", "tensor");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const model::Module& module = facts.modules[i];
    const model::Layer& layer = facts.layers[module.layer];
    fmt::print("{:<{}}  {:<{}}  {:>14}  {:>9}  {}\n", names[i], widest, report::printable(module.type), type,
               shape_text(layer.shape), layer.size, report::printable(layer.name));
  }
  for (const model::Module& module : facts.modules) {
    if (!module.note.empty()) fmt::print("* {}\n", report::printable(module.note));
  }
  fmt::print("\n{} tensors in all: --all lists them\n", facts.layers.size());
}

void run_layers(const LayersCommand& command) {
  const auto network = model::open_onnx(
      command.model, {.output = command.output, .shapes = {command.shape}, .memory = command.memory});
  const model::Facts& facts = network->facts();
  if (const auto& first = facts.inputs.front();
      !command.shape.empty() && command.shape.size() + 1 != first.shape.size()) {
    throw std::invalid_argument(fmt::format("[layers] shape has {} sizes, must have {} for input '{}'",
                                            command.shape.size(), first.shape.size() - 1, first.name));
  }
  std::vector<model::Layer> layers;
  for (const std::string& name : command.names) {
    for (const model::FoundLayer& found : model::find_layers(facts, name)) {
      layers.push_back(facts.layers[found.position]);
      if (!found.note.empty() && !command.json) fmt::print("note   {}\n", report::printable(found.note));
    }
  }
  if (command.names.empty()) layers = facts.layers;
  if (command.json) {
    print_json(facts, layers);
    return;
  }
  print_head(facts);
  if (command.names.empty() && !command.all && !facts.modules.empty()) {
    print_tree(facts);
  } else {
    print_table(layers);
  }
}

}  // namespace

void add_layers_command(CLI::App& app, const std::vector<std::string>& /*arguments*/) {
  auto options = std::make_shared<LayersCommand>();
  CLI::App* command =
      app.add_subcommand("layers", "Show the modules of an ONNX model, and the tensors they give");
  command->add_option("model", options->model, "ONNX file")->required();
  command->add_option("--layer", options->names,
                      "Show only what this name or pattern stands for (module, tensor or node); repeatable");
  command->add_flag("--all", options->all, "List every tensor that can be a layer");
  command
      ->add_option("--shape", options->shape,
                   "Shape of one example, for models that leave sizes open, e.g. 3,32,32")
      ->delimiter(',');
  command->add_option("--output", options->output,
                      "Tensor with the logits (a final Softmax is stepped over)");
  add_shown(*command, "--memory", options->memory,
            "Gigabytes that may be taken (0: nine tenths of what is available)");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options] { run_layers(*options); });
}

}  // namespace atcav::cli
