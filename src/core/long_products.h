#pragma once

#include "atcav/matrix.h"

// a·bᵀ in double for a few rows of many columns. Stripes of columns go to threads (0: all available) and are
// added up in their order, so that threads change nothing.
namespace atcav {

Matrix long_products(const MatrixFRef& a, const MatrixRef& b, int threads);
Matrix long_products(const MatrixRef& a, const MatrixRef& b, int threads);

}  // namespace atcav
