#pragma once

#include <string_view>

#include "atcav/io/array.h"

// The text header of a .npy file: a Python dictionary with exactly these three keys, in any order,
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// followed by nothing but white space. Only this much Python is understood; nothing is evaluated.
namespace atcav::io {

struct NpyHeader {
  Dtype dtype = Dtype::kF32;
  ArrayLayout layout;
  Shape shape;
};

// Throws std::runtime_error "[read_npy] file: …" for anything else, naming dtypes that are not
// supported: structured ones, Python objects, complex numbers, text.
NpyHeader parse_npy_header(std::string_view text, std::string_view file);

}  // namespace atcav::io
