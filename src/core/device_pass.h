#pragma once

#include <optional>
#include <vector>

#include "atcav/matrix.h"

// The arithmetic of a pass (pass/pass_builder.h) on a device, where the activations are already. Only what is
// as small as inputs × examples comes back, the sums over folds at the end, and the few rows that are scored.
//
// Products are float, added up in double over blocks of columns, in a fixed order: two passes on one device
// give the same bytes.
namespace atcav {

class Rows;

struct DevicePassOptions {
  MatrixFRef gradients;  // Z: m × d; must stay until end(): what finds no room on the device is read again
  Index folds = 5;       // k: row i of a set is in fold i mod k
  std::vector<Index> rows;                 // of each set
  std::vector<std::vector<Index>> scored;  // rows of each set to keep, increasing
  bool gram = false;                       // keep all rows, for K
};

class DevicePass {
 public:
  virtual ~DevicePass() = default;
  // c: the mean of the first rows of the pass, rounded to float.
  virtual Eigen::VectorXf centre() const = 0;
  // z_j · c in double, m.
  virtual Vector centre_projection() const = 0;
  // The next rows of a set, wherever they lie. Returns before the device is done with them.
  virtual void add(Index set, const Rows& rows) = 0;
  // z_j · (x_i − c), m × B, of the rows added to this set since the last call.
  virtual Matrix take_projections(Index set) = 0;
  // Σ (x_i − c) over each fold, k × d, once all rows are there.
  virtual Matrix fold_sums(Index set) = 0;
  // Rows options.scored of a set as they came: numbers first … of that list.
  virtual void read_scored(Index set, Index first, Eigen::Ref<MatrixF> rows) const = 0;
  // (x_i − c) · directions_f in double for each of those rows, f its fold: directions are k × d. Nothing
  // where there is no room for it.
  virtual std::optional<Vector> scored_products(Index set, const Matrix& directions) const = 0;
  // With options.gram: whether all rows found room. If not, the caller keeps them and multiplies itself.
  virtual bool keeps_rows() const = 0;
  // As span::centred_gram: (N+1) × (N+1), the centre last.
  virtual Matrix gram() = 0;
  virtual void read_rows(Index set, Index first, Eigen::Ref<MatrixF> rows) const = 0;
  // Gives back what only add() needs: the gradients. Rows can still be read.
  virtual void end() = 0;
};

}  // namespace atcav
