#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atcav/rows.h"
#include "pass/pass.h"
#include "pass/pass_products.h"
#include "pass/projections.h"

// A pass whose rows are handed in. run_pass pulls rows from sources and hands them to this; a program
// that gets several layers out of one forward pass keeps one builder per layer and hands each its rows:
//
//   PassBuilder builder(gradients, {{"random", 1000}, {"concept 'striped'", 120}}, options);
//   builder.add(0, batch);            // next rows of the random set
//   Pass pass = builder.finish();     // when all 1120 rows were added
namespace atcav::span {

struct SetShape {
  std::string name;  // what messages call it
  Index rows = 0;
  // With options.gram: where all rows lie, if they do; else they are kept in a scratch file.
  const float* data = nullptr;
};

class PassBuilder {
 public:
  // Keeps a reference to `gradients`; `options.progress` is not used.
  PassBuilder(const MatrixFRef& gradients, std::vector<SetShape> sets, const PassOptions& options);
  // The next rows of a set, in order; sets may alternate. The first rows ever added (at most 64) give
  // the centre. Throws std::invalid_argument for values that are not finite, at the latest in finish():
  // short blocks wait until there are enough rows.
  void add(Index set, const MatrixFRef& rows);
  // Rows where a model computed them. If the first ones lie on a device the pass runs there, unless it is
  // small enough for double (PassOptions::exact_below) or keeps whole rows because d ≤ N. Then this returns
  // before the device is done, and values that are not finite are found in finish().
  void add(Index set, const Rows& rows);
  // The next rows of the set are rows `row` …: those before it that were not added are somebody else's. What
  // was added is multiplied now and not together with what follows, so that results do not depend on who
  // adds what.
  void continue_at(Index set, Index row);
  // Of the rows so far, as the pass has it.
  Eigen::VectorXf centre() const { return pass_.centre.cast<float>(); }
  Pass finish();
  // A pass over some of the rows alone: the others' projections are 0 and there is no K.
  Pass finish_share();

 private:
  struct Progress {
    Index next = 0;    // row that comes next
    Index scored = 0;  // rows in `held_out` so far
    std::shared_ptr<RowStore> held_out;
    std::shared_ptr<RowStore> all;     // rows for the Gram matrix
    std::unique_ptr<Moments> moments;  // moments-only
  };

  void start(const Eigen::VectorXf& centre);
  void start_on_device(const Rows& rows);
  void keep_rows_here(Index set);
  void check_room(Index set, Index rows, Index columns) const;
  void finish_on_device();
  void take(Index set, const MatrixFRef& rows);
  void take_waiting();
  void keep(Index set, const MatrixFRef& rows);
  void check_products(Index set, const MatrixFRef& rows, const MatrixRef& projections) const;

  MatrixFRef gradients_;
  std::vector<SetShape> shapes_;
  PassOptions options_;
  std::vector<Progress> progress_;
  std::unique_ptr<Projector> projector_;
  std::shared_ptr<DevicePass> device_;  // instead of the projector
  MatrixF waiting_;         // few rows at a time would make each reading of the gradients expensive
  Index waiting_rows_ = 0;  // of waiting_ that are filled
  Index waiting_set_ = 0;
  Pass pass_;
};

}  // namespace atcav::span
