// Runs ONNX's backend tests and counts: onnx_conformance FOLDER [part of a test's name].
// Passes if each folder reaches the number required below and every test that is not passed ends in an
// error that says what is not supported; prints which ops those are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

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
    {"node", 753}, {"pytorch-converted", 82}, {"pytorch-operator", 35}, {"simple", 7}};

std::vector<fs::path> sorted_entries(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(prefix)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The data files hold bfloat16 as uint16: NumPy has no such type.
at::Tensor read_pb(const fs::path& path, onnx::Type declared) {
  const auto reader = atcav::io::open_file(path.string());
  onnx::Tensor tensor = onnx::parse_tensor({reader, reader->text()});
  if (declared == onnx::Type::kBfloat16 && tensor.type == onnx::Type::kUint16) tensor.type = declared;
  return nn::to_torch(tensor);
}

// The tolerances of ONNX's own runner, but one unit in the last place for bfloat16: the files were made by
// cutting bits off, we round.
bool same(const at::Tensor& got, const at::Tensor& expected, onnx::Type type) {
  const double tolerance = type == onnx::Type::kBfloat16 ? 1.0 / 128 : 1e-3;
  return got.sizes() == expected.sizes() && got.scalar_type() == expected.scalar_type() &&
         at::allclose(got.to(at::kDouble), expected.to(at::kDouble), tolerance, 1e-7, /*equal_nan=*/true);
}

void check_tensors(const onnx::Model& model) {
  for (const auto* values : {&model.graph.inputs, &model.graph.outputs}) {
    for (const onnx::Value& value : *values) {
      if (value.type == onnx::Type::kUndefined) {
        throw std::runtime_error(
            fmt::format("'{}' is not a tensor: sequences and the like are not supported", value.name));
      }
    }
  }
}

// Empty when the test passes, otherwise why not.
std::string outcome(const fs::path& test) {
  try {
    const onnx::Model model = onnx::load_model(test / "model.onnx");
    check_tensors(model);
    const nn::Network network = nn::build_network(model);
    std::vector<nn::Slot> targets;
    for (const auto& output : network.outputs) targets.push_back(network.slots.at(output.name));
    const nn::Plan plan = nn::make_plan(network, targets);
    for (const fs::path& data : sorted_entries(test, "test_data_set_")) {
      nn::Tensors inputs;
      for (std::size_t i = 0; i < network.inputs.size(); ++i) {
        inputs.push_back(read_pb(data / fmt::format("input_{}.pb", i), network.inputs[i].value.type));
      }
      const nn::Tensors outputs = nn::run_plan(network, plan, nn::input_values(network, inputs), {});
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const onnx::Type type = network.outputs[i].type;
        if (!same(outputs[i], read_pb(data / fmt::format("output_{}.pb", i), type), type)) {
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
  const fs::path root = count > 1 ? arguments[1] : "";
  const std::string part = count > 2 ? arguments[2] : "";
  if (!fs::is_directory(root / "node")) {
    fmt::print("skipped: {} has no ONNX test data (Debian: libonnx-testdata)\n", root.string());
    return 77;
  }
  bool good = true;
  std::map<std::string, std::vector<std::string>> unsupported;
  const at::NoGradGuard no_grad;
  for (const Suite& suite : kSuites) {
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
        good = false;
      }
    }
    good = good && (passed >= suite.required || !part.empty());
    fmt::print("{}: {} of {}\n", suite.name, passed, total);
  }
  fmt::print("not supported:\n");
  for (const auto& [why, tests] : unsupported) fmt::print("  {} ({} tests)\n", why, tests.size());
  return good ? 0 : 1;
}
