#include <fmt/format.h>

#include "plugins/torch/exec/table.h"
#include "tests/fuzz/run_graph.h"

// Bytes choose an op from the table, its other inputs and its attributes. A layer lies before it, so that
// gradients pass through it.
namespace atcav::fuzz {
namespace {

onnx::Tensor constant(const std::string& name, Choices& choose, const std::vector<std::int64_t>& like) {
  switch (choose.below(6)) {
    case 0: {
      const auto values = choose.numbers(5);
      return longs(name, {static_cast<std::int64_t>(values.size())}, values);
    }
    case 1:
      return longs(name, {}, {choose.number()});
    case 2:
      return floats(name, {}, {static_cast<float>(choose.number())});
    case 3:
      return noise(name, {like[1]}, 1);  // a number per channel
    case 4:
      return noise(name, like, 2);
    default:
      return noise(name, choose.shape(), 3);
  }
}

onnx::Model one_op(Choices& choose) {
  static const std::vector<std::string> ops = plugin::op_names();
  static const std::vector<std::vector<std::int64_t>> kShapes = {
      {1, 3, 6, 6}, {1, 4}, {1, 5, 4}, {4, 1, 3}, {1, 2, 4, 4, 4}};
  const auto& shape = kShapes[choose.below(kShapes.size())];
  const std::string& op = ops[(choose.next() + 256U * choose.next()) % ops.size()];
  const plugin::Slots slots = plugin::find_op(node(op, {}, {}))->slots;
  const std::size_t most = std::min<std::size_t>(slots.most, 9);
  const std::size_t least = std::min(slots.needed == plugin::kAny ? 1 : slots.needed, most);
  std::vector<onnx::Tensor> constants = {floats("one", {}, {1})};
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < least + choose.below(most - least + 1); ++i) {
    if (i == 0 || choose.next() % 8 == 0) {
      inputs.emplace_back("h");
    } else {
      constants.push_back(constant(fmt::format("c{}", i), choose, shape));
      inputs.push_back(constants.back().name);
    }
  }
  std::vector<std::string> outputs = {"t"};
  for (std::size_t i = 1; i < std::min<std::size_t>(slots.outputs, 3) && choose.next() % 2 == 0; ++i)
    outputs.push_back(fmt::format("t{}", i));
  onnx::Model model =
      onnx_model({value("x", shape)}, constants,
                 {node("Mul", {"x", "one"}, {"h"}), node(op, inputs, outputs, attributes(choose)),
                  node("Flatten", {"t"}, {"y"})},
                 {value("y", {1, 2})});
  model.opset = 7 + static_cast<std::int64_t>(choose.below(17));
  return model;
}

}  // namespace
}  // namespace atcav::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  atcav::fuzz::Choices choose(data, size);
  return atcav::fuzz::only_expected_errors(
      [&] { atcav::fuzz::run_graph(atcav::fuzz::one_op(choose), choose); });
}
