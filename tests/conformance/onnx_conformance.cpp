// Runs ONNX's backend tests and counts: onnx_conformance FOLDER [part of a test's name].
// Passes if each folder reaches the number required below and every test that is not passed is refused with a
// message: a wrong number is a failure, whatever the count. Lists what is refused, by reason.
// onnx_conformance --share 0.9 FOLDER: the same with that share of FOLDER/node.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <protozero/pbf_reader.hpp>

#include "data/file/reader.h"
#include "plugins/torch/exec/tensor_torch.h"
#include "plugins/torch/import/plan.h"
#include "plugins/torch/onnx/parse_model.h"
#include "plugins/torch/onnx/parse_tensor.h"

namespace {

namespace fs = std::filesystem;
namespace nn = atcav::plugin;
namespace onnx = atcav::onnx;

// Folder, tests in it that must pass. The rest are strings, losses, training and random numbers.
struct Suite {
  const char* name;
  int required;
};
constexpr Suite kSuites[] = {
    {"node", 810}, {"pytorch-converted", 82}, {"pytorch-operator", 35}, {"simple", 15}};

std::vector<fs::path> sorted_entries(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(prefix)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// A tensor, or a sequence of them; neither is there for an optional value without content.
struct Datum {
  std::optional<at::Tensor> tensor = {};
  std::optional<nn::Tensors> sequence = {};
};

// The data files hold bfloat16 as uint16: NumPy has no such type.
at::Tensor read_tensor(const onnx::Bytes& bytes, onnx::Type declared) {
  onnx::Tensor tensor = onnx::parse_tensor(bytes);
  if (declared == onnx::Type::kBfloat16 && tensor.type == onnx::Type::kUint16) tensor.type = declared;
  return nn::to_torch(tensor);
}

// SequenceProto: tensors in field 3.
nn::Tensors read_sequence(const onnx::Bytes& bytes, onnx::Type declared) {
  nn::Tensors tensors;
  protozero::pbf_reader message(bytes.view().data(), bytes.size());
  while (message.next()) {
    if (message.tag() == 3) {
      const auto view = message.get_view();
      tensors.push_back(read_tensor(bytes.part({view.data(), view.size()}), declared));
    } else {
      message.skip();
    }
  }
  return tensors;
}

Datum read_pb(const fs::path& path, const onnx::Value& value) {
  const onnx::Bytes bytes = onnx::Bytes::own(atcav::data::read_file(path.string()));
  if (value.is_optional) {  // OptionalProto: a tensor in field 3 or a sequence in field 5
    protozero::pbf_reader message(bytes.view().data(), bytes.size());
    while (message.next()) {
      if (message.tag() != 3 && message.tag() != 5) {
        message.skip();
        continue;
      }
      const bool sequence = message.tag() == 5;
      const auto view = message.get_view();
      const onnx::Bytes part = bytes.part({view.data(), view.size()});
      if (sequence) return {{}, read_sequence(part, value.type)};
      return {read_tensor(part, value.type), {}};
    }
    return {};
  }
  if (value.is_sequence) return {{}, read_sequence(bytes, value.type)};
  return {read_tensor(bytes, value.type), {}};
}

// The tolerances of ONNX's own runner, relative to the largest element as well: where a sum cancels, what is
// left is the noise of float32, theirs or ours. 16-bit results: the files round after each step inside an op,
// we compute in float32 and do not, so a few units in the last place (2^-8, 2^-11) are theirs.
double difference(const at::Tensor& got, const at::Tensor& expected, onnx::Type type) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (got.sizes() != expected.sizes() || got.scalar_type() != expected.scalar_type()) return infinity;
  const at::Tensor a = got.to(at::kDouble);
  const at::Tensor b = expected.to(at::kDouble);
  const at::Tensor finite = b.isfinite();
  if (!at::allclose(a.masked_fill(finite, 0), b.masked_fill(finite, 0), 0, 0, /*equal_nan=*/true))
    return infinity;
  if (!a.masked_select(finite).isfinite().all().item<bool>()) return infinity;
  if (!finite.any().item<bool>()) return 0;
  const bool brain = type == onnx::Type::kBfloat16;
  const bool half = type == onnx::Type::kFloat16;
  const double relative = brain ? 1.0 / 64 : half ? 1.0 / 512 : 1e-3;
  const double largest = b.masked_select(finite).abs().max().item<double>();
  const double absolute = std::max(1e-7, largest * (brain ? 1.0 / 256 : half ? 1.0 / 2048 : 2e-7));
  return ((a - b).abs() / (absolute + relative * b.abs())).masked_select(finite).max().item<double>();
}

bool same(const at::Tensor& got, const at::Tensor& expected, onnx::Type type) {
  return difference(got, expected, type) <= 1;
}

bool same(const nn::Network& network, const nn::Values& values, nn::Slot slot, const Datum& expected,
          onnx::Type type) {
  const auto sequence = values.sequences.find(slot);
  if (expected.sequence) {
    if (sequence == values.sequences.end() || sequence->second.size() != expected.sequence->size())
      return false;
    for (std::size_t i = 0; i < sequence->second.size(); ++i) {
      if (!same(sequence->second[i], (*expected.sequence)[i], type)) return false;
    }
    return true;
  }
  const at::Tensor& got = network.value(values, slot);
  if (!expected.tensor) return !got.defined() && sequence == values.sequences.end();
  return got.defined() && same(got, *expected.tensor, type);
}

struct Outcome {
  enum Kind { kPassed, kRefused, kWrong } kind = kPassed;
  std::string why = {};
};

Outcome outcome(const fs::path& test) {
  try {
    const onnx::Model model = onnx::load_model(test / "model.onnx");
    const nn::Network network = nn::build_network(model);
    std::vector<nn::Slot> targets;
    for (const auto& output : network.outputs) targets.push_back(network.slots.at(output.name));
    const nn::Plan plan = nn::make_plan(network, targets);
    for (const fs::path& data : sorted_entries(test, "test_data_set_")) {
      nn::Values given(network.names.size());
      for (std::size_t i = 0; i < network.inputs.size(); ++i) {
        const nn::NetworkInput& input = network.inputs[i];
        const Datum datum = read_pb(data / fmt::format("input_{}.pb", i), input.value);
        if (datum.tensor) given[input.slot] = *datum.tensor;
        if (datum.sequence) given.sequences[input.slot] = *datum.sequence;
      }
      const nn::Values values = nn::run_to_values(network, plan, given, {});
      for (std::size_t i = 0; i < targets.size(); ++i) {
        const Datum expected = read_pb(data / fmt::format("output_{}.pb", i), network.outputs[i]);
        if (!same(network, values, targets[i], expected, network.outputs[i].type)) {
          return {Outcome::kWrong, fmt::format("output {} differs", i)};
        }
      }
    }
    return {};
  } catch (const std::exception& error) {
    return {Outcome::kRefused, error.what()};
  }
}

// What is refused without where: "not supported: (DeformConv)", "training mode is not supported, …".
std::string reason(const std::string& message) {
  std::string text = message.substr(message.starts_with("[onnx] ") ? 7 : 0);
  for (auto begin = text.find("node '"); begin != std::string::npos; begin = text.find("node '")) {
    const auto end = text.find("' ", begin + 6);
    if (end == std::string::npos) break;
    text.erase(begin, end + 2 - begin);
  }
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> given(arguments + 1, arguments + count);
  double share = 0;
  if (given.size() > 2 && given[0] == "--share") {
    share = std::stod(given[1]);
    given.erase(given.begin(), given.begin() + 2);
  }
  const fs::path root = given.empty() ? "" : given[0];
  const std::string part = given.size() > 1 ? given[1] : "";
  if (!fs::is_directory(root / "node")) {
    fmt::print("skipped: {} has no ONNX test data (Debian: libonnx-testdata)\n", root.string());
    return 77;
  }
  bool good = true;
  std::map<std::string, std::vector<std::string>> refused;
  const at::NoGradGuard no_grad;
  for (const Suite& suite : kSuites) {
    if (share > 0 && !fs::is_directory(root / suite.name)) continue;
    int passed = 0;
    int total = 0;
    for (const fs::path& test : sorted_entries(root / suite.name, "test_")) {
      const std::string name = test.filename().string();
      if (name.find(part) == std::string::npos) continue;
      ++total;
      const Outcome result = outcome(test);
      if (result.kind == Outcome::kPassed) ++passed;
      if (result.kind == Outcome::kRefused) refused[reason(result.why)].push_back(name);
      if (result.kind == Outcome::kWrong) {
        fmt::print("WRONG {}/{}: {}\n", suite.name, name, result.why);
        good = false;
      }
    }
    const double required = share > 0 ? share * total : suite.required;
    good = good && (passed >= required || !part.empty());
    fmt::print("{}: {} of {}\n", suite.name, passed, total);
  }
  fmt::print("refused:\n");
  for (const auto& [why, tests] : refused) fmt::print("  {}: {}\n", why, fmt::join(tests, ", "));
  return good ? 0 : 1;
}
