#pragma once

#include <map>
#include <string>

#include "atcav/io/tensor_view.h"

// The other direction of safetensors.h.
namespace atcav::io {

// Writes all or nothing (atomic_file.h). The same tensors give the same bytes: the header lists them by
// name; data come by falling element size, then name, and start at a multiple of 8, so that every
// element is aligned. std::invalid_argument for the name "__metadata__" and text that is not UTF-8.
//   write_safetensors("cav.safetensors", {{"cav", cav}, {"bias", bias}}, {{"layer", "conv5"}});
void write_safetensors(const std::string& path, const std::map<std::string, TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace atcav::io
