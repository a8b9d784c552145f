#pragma once

#include <memory>
#include <string>

#include "atcav/model.h"
#include "model/erase_onnx.h"

// What libatcav_torch.so exports: one object of this type, named atcav_plugin. Only where `build` and
// `engine` are exactly ours was it compiled from the same headers, so that the rest may be used.
namespace atcav::model {

struct Plugin {
  const char* build;   // kBuildId (generated model/build_id.h): the version and a hash of the headers
  const char* engine;  // as onnx_engine() says
  std::unique_ptr<Model> (*open)(const std::string& path, const OpenOptions& options);
  ErasedOnnx (*erase)(const std::string& path, const OpenOptions& options, const LayerEraser& eraser);
};

// options.device, with the GPU of options.local_rank where it leaves that open: of several ranks on a machine
// the first takes cuda:0, the next cuda:1 and so on, around if there are more ranks than GPUs.
Device device_of_rank(const OpenOptions& options, int gpus);

}  // namespace atcav::model
