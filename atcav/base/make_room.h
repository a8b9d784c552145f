#pragma once

#include "atcav/base/matrix.h"

namespace atcav {

// As buffer.resize(rows, columns), and the buffer is empty where memory ends. Eigen 3.4 gives the old memory
// back before it asks for the new and would leave the buffer with it, for the destructor to give it back
// again.
template <typename Buffer>
void make_room(Buffer& buffer, Index rows, Index columns) {
  if (buffer.size() != rows * columns) buffer.resize(0, 0);
  buffer.resize(rows, columns);
}

}  // namespace atcav
