// Runs ONNX's backend tests and counts: onnx_conformance FOLDER [part of a test's name].
// Passes if each folder reaches the number required below and every test that is not passed ends in an
// error that says what is not supported; prints which ops those are.
// onnx_conformance --share 0.9 FOLDER: passes if that share of FOLDER/node does; lists the rest.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <protozero/pbf_reader.hpp>

#include "atcav/io/reader.h"
#include "plugins/torch/onnx/parse_model.h"
#include "plugins/torch/onnx/parse_tensor.h"
#include "plugins/torch/plan.h"
#include "plugins/torch/tensor_torch.h"

namespace {

namespace fs = std::filesystem;
namespace nn = atcav::plugin;
namespace onnx = atcav::onnx;

// Folder, tests in it that must pass. `simple` has 23, of which 6 + 8 + 2 are strings, sequences and
// gradients of training.
struct Suite {
  const char* name;
  int required;
};
constexpr Suite kSuites[] = {
    {"node", 790}, {"pytorch-converted", 82}, {"pytorch-operator", 35}, {"simple", 7}};

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
  const auto reader = atcav::io::open_file(path.string());
  const onnx::Bytes bytes{reader, reader->text()};
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

// The tolerances of ONNX's own runner, but one unit in the last place for bfloat16: the files were made by
// cutting bits off, we round.
bool same(const at::Tensor& got, const at::Tensor& expected, onnx::Type type) {
  const double tolerance = type == onnx::Type::kBfloat16 ? 1.0 / 128 : 1e-3;
  return got.sizes() == expected.sizes() && got.scalar_type() == expected.scalar_type() &&
         at::allclose(got.to(at::kDouble), expected.to(at::kDouble), tolerance, 1e-7, /*equal_nan=*/true);
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

// Empty when the test passes, otherwise why not.
std::string outcome(const fs::path& test) {
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
          return fmt::format("output {} differs", i);
        }
      }
    }
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
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
  std::map<std::string, std::vector<std::string>> unsupported;
  const at::NoGradGuard no_grad;
  for (const Suite& suite : kSuites) {
    if (share > 0 && !fs::is_directory(root / suite.name)) continue;
    int passed = 0;
    int total = 0;
    for (const fs::path& test : sorted_entries(root / suite.name, "test_")) {
      const std::string name = test.filename().string();
      if (name.find(part) == std::string::npos) continue;
      ++total;
      const std::string why = outcome(test);
      if (why.empty()) {
        ++passed;
      } else if (why.find("not supported") != std::string::npos) {
        unsupported[why.substr(why.find(": ") + 2)].push_back(name);
      } else {
        fmt::print("FAILED {}/{}: {}\n", suite.name, name, why);
        good = good && share > 0;
      }
    }
    const double required = share > 0 ? share * total : suite.required;
    good = good && (passed >= required || !part.empty());
    fmt::print("{}: {} of {}\n", suite.name, passed, total);
  }
  fmt::print("not supported:\n");
  for (const auto& [why, tests] : unsupported) fmt::print("  {} ({} tests)\n", why, tests.size());
  return good ? 0 : 1;
}
