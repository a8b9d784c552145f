#include "atcav/run/array_source.h"

namespace atcav {

void ArraySource::read(Index first, Eigen::Ref<MatrixF> rows) {
  array_.read_rows(first, rows);
  array_.release_rows(first, rows.rows());
}

}  // namespace atcav
