#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "atcav/model/find_layer.h"
#include "atcav/model/open_onnx.h"
#include "atcav/report/escape.h"

namespace atcav::cli {
namespace {

struct LayersCommand {
  std::string model;
  std::vector<std::string> names;
  std::vector<Index> shape;
  std::string output;
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
  const nlohmann::ordered_json all = {
      {"layers", list}, {"logits", facts.logits}, {"classes", facts.logit_count}, {"notes", facts.notes}};
  fmt::print("{}\n", all.dump(2));
}

void print_table(const model::Facts& facts, const std::vector<model::Layer>& layers) {
  std::size_t widest = 5;
  std::size_t op = 2;
  for (const model::Layer& layer : layers) {
    widest = std::max(widest, layer.name.size());
    op = std::max(op, layer.op.size());
  }
  for (const model::InputInfo& input : facts.inputs) {
    fmt::print("input  {} {}{}\n", report::printable(input.name), shape_text(input.shape),
               input.is_integer ? " int64" : "");
  }
  fmt::print("logits {} ({} classes)\n", report::printable(facts.logits), facts.logit_count);
  for (const std::string& note : facts.notes) fmt::print("note   {}\n", report::printable(note));
  fmt::print("\n{:<{}}  {:<{}}  {:>14}  {:>9}  {:>9}  {}\n", "layer", widest, "op", op, "shape", "d", "kB",
             "module");
  for (const model::Layer& layer : layers) {
    fmt::print("{:<{}}  {:<{}}  {:>14}  {:>9}  {:>9.1f}  {}\n", report::printable(layer.name), widest,
               report::printable(layer.op), op, shape_text(layer.shape), layer.size,
               static_cast<double>(layer.size) * 4 / 1024, report::printable(layer.path));
  }
}

void run_layers(const LayersCommand& command) {
  const auto network = model::open_onnx(
      command.model, {.output = command.output, .shape = command.shape, .memory = command.memory});
  const model::Facts& facts = network->facts();
  std::vector<model::Layer> layers;
  for (const std::string& name : command.names)
    layers.push_back(facts.layers[model::find_layer(facts.layers, name)]);
  if (command.names.empty()) layers = facts.layers;
  command.json ? print_json(facts, layers) : print_table(facts, layers);
}

}  // namespace

void add_layers_command(CLI::App& app, const std::vector<std::string>& /*arguments*/) {
  auto options = std::make_shared<LayersCommand>();
  CLI::App* command =
      app.add_subcommand("layers", "List the layers of an ONNX model: name, op, shape, size.");
  command->add_option("model", options->model, "ONNX file")->required();
  command->add_option("--layer", options->names,
                      "Show only what this name stands for (tensor, node or module path); repeatable");
  command
      ->add_option("--shape", options->shape,
                   "Shape of one example, for models that leave sizes open, e.g. 3,32,32")
      ->delimiter(',');
  command->add_option("--output", options->output,
                      "Tensor with the logits (a final Softmax is stepped over)");
  command
      ->add_option("--memory", options->memory,
                   "Gigabytes that may be taken (0: nine tenths of what is available)")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options] { run_layers(*options); });
}

}  // namespace atcav::cli
