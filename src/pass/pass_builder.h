#pragma once

#include <memory>
#include <vector>

#include "pass/backend.h"
#include "pass/pass.h"
#include "pass/projections.h"

// A pass whose rows the caller adds. run_pass reads rows from sources and adds them here; a program that gets
// several layers from one forward pass keeps one builder per layer and adds to each its rows:
//
//   PassBuilder builder(gradients, {{"random", 1000}, {"concept 'striped'", 120}}, options);
//   builder.add(0, HostRows(batch));  // next rows of the random set
//   Pass pass = builder.finish();     // when all 1120 rows were added
namespace atcav::pass {

class PassBuilder {
 public:
  // Keeps a reference to `gradients`; `options.progress` is not used. `start` is asked for a backend when the
  // first rows are there, unless the pass is small enough for double (PassOptions::exact_below) or keeps
  // whole rows because d ≤ N; none: the CPU.
  PassBuilder(const MatrixFRef& gradients, std::vector<SetShape> sets, const PassOptions& options,
              StartBackend start = {});
  // The next rows of a set, in order; sets may alternate. Throws std::invalid_argument for values that are
  // not finite, at the latest in finish(): short blocks and devices take their time.
  void add(Index set, const Rows& rows);
  // The next rows of the set are rows `row` …; earlier ones that were not added belong to other ranks. Rows
  // added so far are multiplied now and not together with later ones, so that results do not depend on how
  // rows are dealt to ranks.
  void continue_at(Index set, Index row);
  // Of the rows so far, as the pass has it.
  Eigen::VectorXf centre() const { return backend_->centre(); }
  Pass finish();
  // A pass over some of the rows alone: the others' projections are 0 and there is no K.
  Pass finish_share();

 private:
  struct Progress {
    Index next = 0;                    // row that comes next
    Index multiplied = 0;              // rows whose products are in the pass
    std::unique_ptr<Moments> moments;  // moments-only
  };

  Index groups() const { return options_.folds * options_.groups_in_fold; }
  void begin(const Rows* first);
  void take_products(Index set);

  MatrixFRef gradients_;
  std::vector<SetShape> shapes_;
  PassOptions options_;
  StartBackend start_;
  std::vector<Progress> progress_;
  std::shared_ptr<PassBackend> backend_;
  Pass pass_;
};

}  // namespace atcav::pass
