#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "atcav/matrix.h"

// Where the channels of a layer are, and so which of its dimensions are positions (height and width of
// images, tokens of sequences): what `pool` works on, for ONNX files and for modules of PyTorch.
namespace atcav::model {

enum class Layout { kUnknown, kChannelsFirst, kChannelsLast };

// Of what a step gives, from what it is given. `step` is ONNX's op or PyTorch's function, "MaxPool" or
// "max_pool2d"; "linear" is a product with a matrix of weights. Convolutions and what belongs to them put
// channels first, linear layers and norms over features put them last, elementwise steps keep the first
// layout that is known; behind any other step it is unknown.
Layout layout_after(std::string_view step, std::span<const Layout> inputs);

// Where nothing is known: examples × tokens × features, but images, examples × channels × height × width, in
// four dimensions and more.
bool is_channels_first(Layout layout, Index dimensions);

// The positions among the dimensions of a tensor whose first are the examples. None where there are fewer
// than three.
std::vector<Index> position_dims(Index dimensions, bool channels_first);

// The column of a layer, not pooled, that has this channel at this position.
inline Index column_of(Index channel, Index position, Index channels, Index positions, bool channels_first) {
  return channels_first ? channel * positions + position : position * channels + channel;
}

// Columns that pooling over positions leaves; `shape` is that of one example.
Index pooled_size(std::span<const Index> shape, bool channels_first);

}  // namespace atcav::model
