#include <fmt/format.h>

#include "plugins/torch/exec/table.h"
#include "tests/fuzz/mutate_graph.h"
#include "tests/fuzz/run_graph.h"
#include "tests/fuzz/whole_graphs.h"

// Bytes choose a small graph, a chain of ops from the table or a whole network, and what is then broken in
// it.
namespace atcav::fuzz {
namespace {

// One op after another, each reading the one before.
onnx::Model chain(Choices& choose) {
  static const std::vector<std::string> ops = plugin::op_names();
  static constexpr std::array<std::array<std::int64_t, 4>, 3> kInputs = {
      {{1, 3, 6, 6}, {1, 2, 5, 1}, {1, 8, 1, 1}}};
  const auto& sizes = kInputs[choose.below(kInputs.size())];
  std::vector<std::string> names = {"x"};
  std::vector<onnx::Tensor> constants;
  std::vector<onnx::Node> nodes;
  const std::size_t count = 1 + choose.below(5);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> inputs = {names.back()};
    for (std::size_t k = choose.below(4); k > 0; --k) {
      const std::string name = fmt::format("c{}", constants.size());
      switch (choose.below(5)) {
        case 0:
          inputs.push_back(names[choose.below(names.size())]);
          break;
        case 1:
          inputs.emplace_back();
          break;
        case 2: {
          const auto values = choose.numbers(5);
          constants.push_back(longs(name, {static_cast<std::int64_t>(values.size())}, values));
          inputs.push_back(name);
          break;
        }
        case 3:
          constants.push_back(longs(name, {}, {choose.number()}));
          inputs.push_back(name);
          break;
        default:
          constants.push_back(noise(name, choose.shape(), static_cast<double>(i)));
          inputs.push_back(name);
      }
    }
    const std::string output = fmt::format("t{}", i);
    nodes.push_back(node(ops[choose.below(ops.size())], inputs, {output}, attributes(choose)));
    names.push_back(output);
  }
  nodes.push_back(node("Flatten", {names.back()}, {"y"}));
  onnx::Model model = onnx_model({value("x", {sizes.begin(), sizes.begin() + 2 + (sizes[2] > 1 ? 2 : 0)})},
                                 constants, nodes, {value("y", {1, 2})});
  model.opset = 7 + static_cast<std::int64_t>(choose.below(14));
  return model;
}

onnx::Model graph(Choices& choose) {
  static const std::vector<onnx::Model> whole = whole_graphs();
  onnx::Model model = choose.next() % 4 == 0 ? chain(choose) : whole[choose.below(whole.size())];
  for (std::size_t i = choose.below(4); i > 0; --i) mutate(model, choose);
  return model;
}

}  // namespace
}  // namespace atcav::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  atcav::fuzz::Choices choose(data, size);
  return atcav::fuzz::only_expected_errors(
      [&] { atcav::fuzz::run_graph(atcav::fuzz::graph(choose), choose); });
}
