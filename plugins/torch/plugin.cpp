#include "model/plugin.h"

#include "model/build_id.h"
#include "plugins/torch/erase_model.h"
#include "plugins/torch/torch_model.h"

// The only symbol that libatcav_torch.so exports (exports.map).
extern "C" __attribute__((visibility("default"))) const atcav::model::Plugin atcav_plugin = {
    atcav::kBuildId, ATCAV_ENGINE, atcav::plugin::open_torch_model, atcav::plugin::erase_in_model};
