#pragma once

#include <string_view>

#include "plugins/torch/onnx/graph.h"

// Which modules of the network a node was exported from: outermost first, names as model.named_modules() has
// them. PyTorch's exporters say it in two ways, and other exporters do not say it.
namespace atcav::onnx {

// torch.onnx.export since 2.9 (dynamo=True before) writes lists into each node's metadata, with the op last:
//   name_scopes     ['', 'layer1', 'layer1.0', 'layer1.0.relu', 'relu_1']
//   class_hierarchy ['net.ResNet', 'torch.nn.modules.container.Sequential', …, 'aten.relu.default']
std::vector<Scope> metadata_scopes(std::string_view name_scopes, std::string_view class_hierarchy);

// The exporter before it (dynamo=False) has module names in those of nodes (model/find_layer.h):
//   /encoder/layer.0/attention/MatMul       encoder, encoder.layer.0, encoder.layer.0.attention
// A name of more than 64 parts is none of its names.
std::vector<Scope> name_scopes(std::string_view node_name);

// The metadata's, or else the name's.
std::vector<Scope> scopes_of(const Node& node);

}  // namespace atcav::onnx
