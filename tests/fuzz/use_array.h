#pragma once

#include "data/array/array.h"

// Reads an array that a parser accepted in every way there is, so that a lie the parser let through
// becomes a crash.
namespace atcav::fuzz {

inline void use_array(const data::Array& array) {
  if (data::is_integer(array.dtype())) array.read_int64();
  if (array.shape().empty()) return;
  array.read_double();
  array.read_float();
  array.rounding();
  if (array.rows() == 0) return;
  MatrixF last(1, array.columns());
  array.read_rows(array.rows() - 1, last);
  array.file_hash();
}

}  // namespace atcav::fuzz
