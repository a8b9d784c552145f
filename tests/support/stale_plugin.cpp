#include "model/plugin.h"

// A plugin of another build of the same version, for open_onnx_test.
extern "C" __attribute__((visibility("default")))
const atcav::model::Plugin atcav_plugin = {"0.1.0", ATCAV_ENGINE, nullptr, nullptr};
