#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/matrix.h"
#include "pass/carried_sums.h"

// The arithmetic of a pass (pass/pass_builder.h), all that needs every column of every row: on the CPU
// (pass/cpu_backend.h), or on the device where a network leaves its activations (Model::start_pass). Results
// are as small as inputs × examples, except for sums over groups; rows stay where they are.
//
// Products are float, added up in double over blocks of columns, in a fixed order: two passes of one backend
// give the same bytes.
namespace atcav::pass {

class RowStore;

struct SetShape {
  std::string name;  // in messages
  Index rows = 0;
  // Where all rows lie one after another, if they do; they must stay there as long as the pass is used.
  const float* data = nullptr;
};

struct BackendOptions {
  MatrixFRef gradients;                    // Z: m × d; must stay until end()
  std::vector<SetShape> sets;              // in order
  std::vector<std::vector<Index>> scored;  // rows of each set to keep for scored_products, increasing
  Index folds = 5;                         // k: row i of a set is in fold i mod k
  Index groups = 5;                        // G: sums are kept of the rows i mod G
  bool gram = false;                       // keep all rows, for K
  bool exact = false;                      // all in double; only the CPU is asked for it
  int threads = 0;                         // 0: all available
  std::optional<Eigen::VectorXf> centre = {};
  std::vector<std::pair<Index, Index>> input_groups = {};  // first and last + 1: see gradient_products
};

// Rows of a set that are kept in memory here, for ranks to exchange; null if a device has them or none is.
struct HostStores {
  RowStore* all = nullptr;
  RowStore* scored = nullptr;  // in the order of options.scored
};

class PassBackend {
 public:
  virtual ~PassBackend() = default;
  // The next rows of a set, wherever they lie; d columns, and no more rows than the set has. May return
  // before they are multiplied: short blocks wait for more, a device is not waited for. A backend that sees
  // rows with values that are not finite throws std::invalid_argument; others give products that are not
  // finite.
  virtual void add(Index set, const Rows& rows) = 0;
  // Multiplies all waiting rows, of every set. The next rows of this set are rows `row` …; earlier ones that
  // were not added belong to other ranks.
  virtual void continue_at(Index set, Index row) = 0;
  // c: options.centre, else the mean of the first rows that were multiplied (at most 64), rounded to float.
  virtual Eigen::VectorXf centre() const = 0;
  // z_j · (x_i − c), m × B, of the next rows of the set; without columns if they are not multiplied yet.
  // Waits for a device.
  virtual Matrix take_projections(Index set) = 0;
  // Σ (x_i − c) over the rows of each group, G × d; once, when all are multiplied.
  virtual CarriedSums take_group_sums(Index set) = 0;
  // |x_i − c|² of every row of the set, 0 for those that were not added; once, when all are multiplied.
  virtual Vector take_squares(Index set) = 0;
  // No more rows follow: frees what only they need, the gradients above all. The functions below can be
  // called after it, from any thread.
  virtual void end() = 0;

  // Inner products of the gradients within each of options.input_groups, where gradients lie on a device;
  // none: the caller multiplies on the CPU.
  virtual std::vector<Matrix> gradient_products() const { return {}; }
  // (x_i − c) · directions_f in double for each scored row of the set, f its fold; directions are k × d.
  virtual Vector scored_products(Index set, const Matrix& directions) const = 0;
  // With options.gram: as centred_gram (pass/pass_products.h), and rows of a set from `first` on.
  virtual Matrix gram() const = 0;
  virtual void read_rows(Index set, Index first, Eigen::Ref<MatrixF> rows) const = 0;
  virtual HostStores host_stores(Index /*set*/) { return {}; }
};

// Starts a pass whose first rows are these, not added yet; null: the CPU is to do it.
using StartBackend = std::function<std::shared_ptr<PassBackend>(const BackendOptions&, const Rows& first)>;

}  // namespace atcav::pass
