#pragma once

#include <variant>
#include <vector>

#include "atcav/base/matrix.h"

// A batch of rows against all gradients: the arithmetic of the pass.
//
// The batch is cut into stripes of columns, the same for any number of threads; each stripe is centred
// in the cache, multiplied there, and its products are added up in double in the order of the stripes.
// So results do not depend on the number of threads.
namespace atcav::span {

class Projector {
 public:
  // Keeps references to `gradients` (m × d). `exact`: all in double, else stripes in float.
  Projector(const MatrixFRef& gradients, const Eigen::VectorXf& centre, bool exact, int threads);

  // z_j · (x_i - c), m × B, for the rows x_i of the batch. On the way adds x_i - c to row
  // (first + i) mod k of `fold_sums` (k × d), since centred rows exist nowhere but in the cache.
  Matrix project(const MatrixFRef& rows, Index first, Eigen::Ref<Matrix> fold_sums);

  const Eigen::VectorXf& centre() const { return centre_; }

 private:
  template <typename T>
  struct Workspace {
    using Tile = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Tile products;            // stripes · m × B
    std::vector<Tile> tiles;  // one for each worker
  };

  template <typename T>
  Matrix project_in(Workspace<T>& workspace, const MatrixFRef& rows, Index first,
                    Eigen::Ref<Matrix> fold_sums) const;
  template <typename T>
  void project_stripe(Index stripe, typename Workspace<T>::Tile& tile, Workspace<T>& workspace,
                      const MatrixFRef& rows, Index first, Eigen::Ref<Matrix> fold_sums) const;

  MatrixFRef gradients_;
  Eigen::VectorXf centre_;
  int threads_;
  Index stripe_columns_;
  std::variant<Workspace<float>, Workspace<double>> workspace_;
};

}  // namespace atcav::span
