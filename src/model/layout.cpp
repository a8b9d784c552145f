#include "model/layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace atcav::model {
namespace {

// "BatchNormalization", "batch_norm" and "mul_" begin like "batchnorm" and "mul".
std::string plain(std::string_view step) {
  std::string name;
  for (const char letter : step) {
    if (letter != '_') name.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(letter))));
  }
  return name;
}

constexpr std::array kFirst = {
    "conv",        "batchnorm", "instancenorm", "groupnorm", "lrn",      "localresponsenorm", "maxpool",
    "averagepool", "avgpool",   "lppool",       "global",    "adaptive", "fractionalmax",     "maxunpool"};
constexpr std::array kLast = {"layernorm", "rmsnorm", "embedding"};
// Between spaces.
constexpr std::string_view kKeeps =
    " "
    "relu relu6 leakyrelu rrelu prelu elu selu celu gelu silu swish mish tanh sigmoid logsigmoid softplus "
    "hardtanh hardswish hardsigmoid erf clamp clip add iadd radd sub isub rsub mul imul rmul div truediv "
    "itruediv cat concat where dropout dropout1d dropout2d dropout3d alphadropout featuredropout identity "
    "clone contiguous detach requiresgrad to type float half bfloat16 double cast slice pad resize "
    "interpolate upsample ";

template <typename Names>
bool begins(const std::string& name, const Names& beginnings) {
  return std::ranges::any_of(beginnings, [&](const char* beginning) { return name.starts_with(beginning); });
}

}  // namespace

Layout layout_after(std::string_view step, std::span<const Layout> inputs) {
  const std::string name = plain(step);
  if (begins(name, kFirst)) return Layout::kChannelsFirst;
  if (name == "linear" || begins(name, kLast)) return Layout::kChannelsLast;
  // An addition in ONNX, a reduction, "sum", in PyTorch.
  const bool adds = step == "Sum";
  if (!adds && kKeeps.find(" " + name + " ") == kKeeps.npos) return Layout::kUnknown;
  const auto known = std::ranges::find_if(inputs, [](Layout layout) { return layout != Layout::kUnknown; });
  return known == inputs.end() ? Layout::kUnknown : *known;
}

bool is_channels_first(Layout layout, Index dimensions) {
  return layout == Layout::kUnknown ? dimensions > 3 : layout == Layout::kChannelsFirst;
}

std::vector<Index> position_dims(Index dimensions, bool channels_first) {
  std::vector<Index> dims;
  if (dimensions < 3) return dims;
  for (Index i = channels_first ? 2 : 1; i < (channels_first ? dimensions : dimensions - 1); ++i)
    dims.push_back(i);
  return dims;
}

Index pooled_size(std::span<const Index> shape, bool channels_first) {
  Index columns = 1;
  for (const Index size : shape) columns *= size;
  for (const Index dim : position_dims(std::ssize(shape) + 1, channels_first))
    columns /= shape[static_cast<std::size_t>(dim) - 1];
  return columns;
}

}  // namespace atcav::model
