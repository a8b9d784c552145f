#pragma once

#include <memory>
#include <string>

#include "atcav/model.h"

// Networks from ONNX files on LibTorch. For gradients the network is run without recording up to the layer,
// and only the rest is differentiated; weights never are. Results stay on the device; see TorchRows.
//
// LibTorch's own errors come out as std::runtime_error with one line.
namespace atcav::onnx {
struct Model;
}

namespace atcav::plugin {

// What model::open_onnx does.
std::unique_ptr<model::Model> open_torch_model(const std::string& path, const model::OpenOptions& options);

// From a graph in memory: facts().hash stays empty.
std::unique_ptr<model::Model> make_torch_model(const onnx::Model& graph,
                                               const model::OpenOptions& options = {});

}  // namespace atcav::plugin
