// probe_folder FOLDER: for every X.onnx with an X.inputs.safetensors beside it, what atcav sees of the
// network, as X.found.safetensors: "logits"; for each module M "a/M" (activations) and "g/M" (gradients of
// logit 1), one row per example; the modules' notes as metadata "note/M" and the network's as "notes". What
// went wrong goes to X.error.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "atcav/model.h"
#include "data/array/safetensors.h"
#include "model/inputs.h"

namespace {

namespace fs = std::filesystem;
namespace model = atcav::model;
using atcav::MatrixF;

void probe(const fs::path& file) {
  const std::string inputs_file = fs::path(file).replace_extension("inputs.safetensors").string();
  model::OpenOptions options;
  for (const auto& [name, array] : atcav::data::read_safetensors(atcav::data::open_file(inputs_file)).tensors)
    options.named_shapes[name] = {array.shape().begin() + 1, array.shape().end()};
  const auto network = model::open_onnx(file.string(), options);
  const model::Facts& facts = network->facts();
  const std::string spec = facts.inputs.size() == 1 ? inputs_file + ":" + facts.inputs[0].name : inputs_file;
  model::Inputs inputs = model::Inputs::open(spec, facts.inputs);
  const std::vector<model::InputBatch> batch = inputs.read(0, inputs.rows());

  std::set<std::size_t> positions;
  for (const model::Module& module : facts.modules) positions.insert(module.layer);
  const std::vector<std::size_t> layers(positions.begin(), positions.end());
  std::vector<MatrixF> activations, gradients;
  for (const auto& rows : network->activations(layers, batch, model::Pool::kNone))
    activations.push_back(rows->host());
  const model::WithLogits found = network->gradients(layers, batch, {1}, model::Pool::kNone);
  for (const auto& rows : found.layers) gradients.push_back(rows->host());
  const MatrixF logits = network->logits(batch)->host();

  std::map<std::string, atcav::data::TensorView> tensors = {{"logits", logits}};
  std::map<std::string, std::string> metadata = {{"notes", fmt::format("{}", fmt::join(facts.notes, "; "))}};
  for (const model::Module& module : facts.modules) {
    const auto at =
        static_cast<std::size_t>(std::find(layers.begin(), layers.end(), module.layer) - layers.begin());
    tensors.emplace("a/" + module.name, activations[at]);
    tensors.emplace("g/" + module.name, gradients[at]);
    if (!module.note.empty()) metadata["note/" + module.name] = module.note;
  }
  atcav::data::write_safetensors(fs::path(file).replace_extension("found.safetensors").string(), tensors,
                                 metadata);
}

}  // namespace

int main(int /*count*/, char** arguments) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(arguments[1])) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    try {
      probe(file);
    } catch (const std::exception& error) {
      std::ofstream(fs::path(file).replace_extension("error")) << error.what();
    }
  }
  return 0;
}
