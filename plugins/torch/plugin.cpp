#include "model/plugin.h"

#include "atcav/version.h"
#include "plugins/torch/torch_model.h"

// The only symbol that libatcav_torch.so exports (exports.map).
extern "C" __attribute__((visibility("default")))
const atcav::model::Plugin atcav_plugin = {atcav::kVersion, ATCAV_ENGINE, atcav::plugin::open_torch_model};
