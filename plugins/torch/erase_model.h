#pragma once

#include "model/erase_onnx.h"

namespace atcav::plugin {

// What model::erase_in_onnx does.
model::ErasedOnnx erase_in_model(const std::string& path, const model::OpenOptions& options,
                                 const model::LayerEraser& eraser);

}  // namespace atcav::plugin
