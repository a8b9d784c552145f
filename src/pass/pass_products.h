#pragma once

#include <functional>
#include <variant>
#include <vector>

#include "atcav/matrix.h"
#include "pass/carried_sums.h"

// The arithmetic of the pass on the CPU: all that needs every column of every row.
namespace atcav::pass {

template <typename T>
using Tile = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A batch of rows against all gradients.
//
// The batch is cut into stripes of columns, the same for any number of threads; each stripe is centred
// in the cache, multiplied there, and its products are added up in double in the order of the stripes.
// So results do not depend on the number of threads. The gradients are kept transposed: a batch is as
// short as memory asks for, and sgemm is fast for few rows only if it need not turn them.
class Projector {
 public:
  // gradients: m × d. `exact`: all in double, else stripes in float.
  Projector(const MatrixFRef& gradients, const Eigen::VectorXf& centre, bool exact, int threads);

  // z_j · (x_i - c), m × B, for the rows x_i of the batch. On the way adds x_i - c to row
  // (first + i) mod k of `fold_sums` (k × d), since centred rows exist nowhere but in the cache.
  Matrix project(const MatrixFRef& rows, Index first, CarriedSums& fold_sums);

  const Eigen::VectorXf& centre() const { return centre_; }

 private:
  template <typename T>
  struct Worker {
    Tile<T> tile;  // centred rows × columns of a piece
    Tile<T> sums;  // k × columns of a piece: rows of the tile by fold
  };
  template <typename T>
  struct Workspace {
    Tile<T> products;  // stripes · B × m
    std::vector<Worker<T>> workers;
  };

  template <typename T>
  Matrix project_in(Workspace<T>& workspace, const MatrixFRef& rows, Index first,
                    CarriedSums& fold_sums) const;
  template <typename T>
  void project_stripe(Index stripe, Worker<T>& worker, Workspace<T>& workspace, const MatrixFRef& rows,
                      Index first, CarriedSums& fold_sums) const;

  MatrixF gradients_;  // d × m
  Eigen::VectorXf centre_;
  int threads_;
  Index stripe_columns_;
  std::variant<Workspace<float>, Workspace<double>> workspace_;
};

// (x_i - c) · directions_f in double for rows x_i that are read back some at a time, from several threads:
// number i of them is row rows[i] of its set, in fold f = rows[i] mod k. directions: k × d.
Vector fold_products(const std::function<void(Index first, Eigen::Ref<MatrixF> rows)>& read,
                     const std::vector<Index>& rows, const Eigen::VectorXf& centre, const Matrix& directions,
                     int threads);

// Rows in memory or mapped, one after another.
struct RowBlock {
  const float* data = nullptr;
  Index rows = 0;
};

// Inner products of all examples with each other, K = X Xᵀ, around a centre and with the centre itself.
// `sets` hold N rows of `centre.size()` columns. Returns (N+1) × (N+1): (x_i - c)·(x_j - c), and in the
// last row and column c·(x_i - c) and c·c. `exact`: in double, else float pieces added up in double.
// Only half is computed; the result does not depend on the number of threads.
Matrix centred_gram(const std::vector<RowBlock>& sets, const Eigen::VectorXf& centre, bool exact,
                    int threads);

// The same in parts, for ranks. K is made of square tiles, of which this is the lower half; a part has those
// whose number is `part` modulo `parts`, and zeros elsewhere. Once all tiles are there it is mirrored.
struct GramTile {
  Index row = 0;
  Index rows = 0;
  Index column = 0;
  Index columns = 0;
};
std::vector<GramTile> gram_tiles(Index n);
Matrix centred_gram_part(const std::vector<RowBlock>& sets, const Eigen::VectorXf& centre, bool exact,
                         int threads, Index part, Index parts);
void mirror(Matrix& gram);

}  // namespace atcav::pass
