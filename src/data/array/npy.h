#pragma once

#include <string>

#include "data/array/array.h"

// NumPy's .npy files, versions 1, 2 and 3: the bytes "\x93NUMPY", two version bytes, the header's
// length (2 bytes little-endian in version 1, otherwise 4), the header, the elements. The header is a Python
// dictionary with exactly these three keys, in any order, followed by nothing but white space:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
namespace atcav::data {

// The array of the file, not copied. f2, f4, f8, i1, i2, i4, i8, u1 and b1, both byte orders, C and
// Fortran order. The file must be exactly as long as its header says. Throws std::runtime_error
// "[read_npy] random.npy: …" otherwise, naming dtypes that are not supported: structured ones, Python
// objects, complex numbers, text.
Array read_npy(ReaderPtr reader);

// Writes version 1.0 as NumPy does (elements start at a multiple of 64), all or nothing (atomic_file.h).
//   write_npy("scores.npy", scores);
// std::invalid_argument for BF16, which NumPy does not have.
void write_npy(const std::string& path, const TensorView& tensor);

}  // namespace atcav::data
