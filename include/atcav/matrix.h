#pragma once

#include <Eigen/Core>

// Matrix aliases. A row is an example, always; so matrices are stored row by row.
// Data arrive as float, statistics are computed in double.
namespace atcav {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixF = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Arguments: anything that is laid out like the type above, without a copy.
using VectorRef = Eigen::Ref<const Vector>;
using MatrixRef = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
using MatrixFRef = Eigen::Ref<const MatrixF, 0, Eigen::OuterStride<>>;

}  // namespace atcav
