#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugins/torch/memory_limit.h"
#include "plugins/torch/ops/table.h"
#include "plugins/torch/torch_model.h"
#include "tests/support/onnx_model.h"

// Bytes choose a small graph: ops from the table, attributes and constants that they read, odd ones among
// them. It is opened, its layers are computed and differentiated: numbers, or std::runtime_error or
// std::invalid_argument, nothing else.
namespace atcav {
namespace {

class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::size_t below(std::size_t limit) { return next() % limit; }
  std::uint8_t next() { return at_ < size_ ? data_[at_++] : static_cast<std::uint8_t>(37 * at_++); }
  bool done() const { return at_ >= size_; }
  std::int64_t number() {
    static constexpr std::array<std::int64_t, 14> kOdd = {
        -1, 0, 1, 2, 3, 4, 5, -2, -3, 7, 1 << 20, std::int64_t{1} << 40, INT64_MAX, INT64_MIN};
    return kOdd[below(next() % 8 == 0 ? kOdd.size() : 10)];
  }
  std::vector<std::int64_t> numbers(std::size_t most) {
    std::vector<std::int64_t> list(below(most + 1));
    for (auto& value : list) value = number();
    return list;
  }
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> sizes(below(5));
    for (auto& size : sizes) size = static_cast<std::int64_t>(below(5));
    return sizes;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

using namespace testing_support;  // NOLINT: as in the tests of the ops

// Names that some op reads.
constexpr std::array kIntegerNames = {"axis",
                                      "keepdims",
                                      "group",
                                      "ceil_mode",
                                      "transA",
                                      "transB",
                                      "to",
                                      "blocksize",
                                      "largest",
                                      "sorted",
                                      "exclusive",
                                      "reverse",
                                      "fmod",
                                      "p",
                                      "size",
                                      "hidden_size",
                                      "batch_axis",
                                      "time_axis",
                                      "upper",
                                      "allowzero",
                                      "num_groups",
                                      "start",
                                      "align_corners",
                                      "noop_with_empty_axes",
                                      "count_include_pad",
                                      "storage_order",
                                      "num_outputs"};
constexpr std::array kListNames = {"axes",           "kernel_shape", "strides",      "pads",   "dilations",
                                   "perm",           "split",        "output_shape", "starts", "ends",
                                   "output_padding", "repeats",      "scales"};
constexpr std::array kTextNames = {"auto_pad",
                                   "mode",
                                   "direction",
                                   "equation",
                                   "nearest_mode",
                                   "reduction",
                                   "coordinate_transformation_mode",
                                   "padding_mode"};
constexpr std::array kTexts = {"NOTSET",        "SAME_UPPER", "SAME_LOWER", "VALID", "constant",
                               "reflect",       "edge",       "linear",     "cubic", "nearest",
                               "bidirectional", "LEFT",       "ij,jk->ik",  "ii->i", "DCR",
                               "align_corners", "border",     "add",        "mul",   "…"};
constexpr std::array kRealNames = {"alpha", "beta", "epsilon", "bias", "lambd", "gamma", "momentum", "ratio"};

std::vector<onnx::Attribute> attributes(Choices& choose) {
  std::vector<onnx::Attribute> list;
  std::set<std::string> names;
  for (std::size_t i = choose.below(4); i > 0; --i) {
    onnx::Attribute one;
    switch (choose.below(4)) {
      case 0:
        one = integer(kIntegerNames[choose.below(kIntegerNames.size())], choose.number());
        break;
      case 1:
        one = integers(kListNames[choose.below(kListNames.size())], choose.numbers(5));
        break;
      case 2:
        one = text(kTextNames[choose.below(kTextNames.size())], kTexts[choose.below(kTexts.size())]);
        break;
      default:
        one = real(kRealNames[choose.below(kRealNames.size())], static_cast<float>(choose.number()));
    }
    if (names.insert(one.name).second) list.push_back(one);
  }
  return list;
}

onnx::Model graph(Choices& choose) {
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

void run(Choices& choose) {
  const auto model = plugin::make_torch_model(graph(choose), {.threads = 1, .batch = 4});
  const model::InputInfo& info = model->facts().inputs.front();
  model::InputBatch batch;
  batch.shape = info.shape;
  batch.shape[0] = 2;
  Index count = 1;
  for (const Index size : batch.shape) count *= size;
  for (Index i = 0; i < count; ++i) batch.reals.push_back(static_cast<float>(choose.next()) / 64 - 2);
  std::vector<std::size_t> layers(model->facts().layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i] = i;
  if (layers.empty()) return;
  for (const RowsPtr& rows : model->activations(layers, {batch}, model::Pool::kNone)) rows->host();
  for (const RowsPtr& rows : model->gradients(std::array{layers.front()}, {batch}, {0}, model::Pool::kMean))
    rows->host();
}

}  // namespace
}  // namespace atcav

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool limited = [] {
    atcav::plugin::limit_tensor_memory(2e8);
    return true;
  }();
  atcav::Choices choose(data, size);
  try {
    if (limited) atcav::run(choose);
  } catch (const std::runtime_error&) {
    return 0;
  } catch (const std::invalid_argument&) {
    return 0;
  }
  return 0;
}
