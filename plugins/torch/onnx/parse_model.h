#pragma once

#include <filesystem>

#include "plugins/torch/onnx/external_data.h"
#include "plugins/torch/onnx/graph.h"

// ModelProto → Model.
//
//   const onnx::Model model = onnx::load_model("resnet50.onnx");
//   for (const onnx::Node& node : model.graph.nodes) …
//
// The bytes may come from anywhere: a damaged or hostile file ends in std::runtime_error, never in a
// read outside the file or its folder, an allocation larger than a small multiple of the file, or deep
// recursion (subgraphs nest at most 16 deep).
namespace atcav::onnx {

Model parse_model(const Bytes& bytes, const ExternalData& external = no_external_data());

// Reads the file; external data are looked for in the file's folder.
Model load_model(const std::filesystem::path& path);

}  // namespace atcav::onnx
