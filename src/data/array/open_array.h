#pragma once

#include <string_view>

#include "data/array/array.h"

// Arrays as users name them on the command line.
namespace atcav::data {

// `spec` is one of
//   activations.npy               the array in the file
//   layer.safetensors             the only tensor in the file (an error lists them if there are more)
//   layer.safetensors:conv5.1     this tensor
//   acts-*.safetensors:conv5.1    this tensor of all these files, rows one file after the other
//   b.npy,a.npy                   likewise, in this order
// Paths and tensor names may contain ':'; the longest part before one that is a path there is taken
// as the file. The extension says what the file is; with any other extension its first bytes do.
// Throws std::runtime_error naming the file: see open_file, read_npy, read_safetensors.
Array open_array(std::string_view spec);

}  // namespace atcav::data
